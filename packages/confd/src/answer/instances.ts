/** Answers about instances: addresses, disks, names, primary nodes. */
import { addressesOnLink, type Snapshot } from "@ganeti-ts/config";
import { type ConfdOutcome, found, textError, unknownEntry } from "../wire/answer.js";
import type { ConfdArgument } from "../wire/query.js";
import { invalidArgument, lookedUp, shownError } from "./lookup.js";
import { serialOf } from "./nodes.js";
import { diskShape } from "./shapes.js";

/** On a link, the cluster's default for null. O(found * log n). */
export function instanceIps(now: Snapshot, argument: ConfdArgument): ConfdOutcome {
  if (argument !== null && typeof argument !== "string") return textError("Invalid query type");
  const link = argument ?? now.cluster.nicparams.default.link;
  return found(addressesOnLink(now, link), serialOf(now));
}

/** O(log n + disks of the instance). */
export function instanceDisks(now: Snapshot, argument: ConfdArgument): ConfdOutcome {
  if (typeof argument !== "string") return invalidArgument(argument);
  const instance = lookedUp(now, "instance", argument);
  if (!instance.ok) return notFound(instance.problem);
  const { disks, serial_no = 0 } = instance.object;
  const missing = disks.find((uuid) => now.disk(uuid) === undefined);
  if (missing !== undefined) {
    return textError(`Could not retrieve disks: ${shownError(`Disk uuid ${missing} not found`)}`);
  }
  return found(now.disksOf(instance.object).map(diskShape), serial_no);
}

/** In the order of UUIDs; instances without a name are left out. O(instances), as the answer. */
export function instanceNames(now: Snapshot): ConfdOutcome {
  const names = [];
  for (const { name } of now.instances()) if (name !== undefined) names.push(name);
  return found(names, serialOf(now));
}

/** Answer about one instance in O(log n), or about all that have a name and a primary node in O(instances). */
export function instanceNodes(now: Snapshot, argument: ConfdArgument): ConfdOutcome {
  if (argument === null) return found(primaryNodes(now), serialOf(now));
  if (typeof argument !== "string") return invalidArgument(argument);
  const instance = lookedUp(now, "instance", argument);
  if (!instance.ok) return notFound(instance.problem);
  const uuid = instance.object.primary_node;
  const node = uuid === undefined ? undefined : now.node(uuid);
  return node === undefined ? unknownEntry : found(node.name, serialOf(now));
}

function primaryNodes(now: Snapshot): Readonly<Record<string, string>> {
  const pairs: [string, string][] = [];
  for (const { name, primary_node } of now.instances()) {
    const node = primary_node === undefined ? undefined : now.node(primary_node);
    if (name !== undefined && node !== undefined) pairs.push([name, node.name]);
  }
  return Object.fromEntries(pairs);
}

const notFound = (problem: string): ConfdOutcome =>
  textError(`Instance not found in the configuration: ${shownError(problem)}`);
