/** Answers about nodes: roles, addresses, what is on them. */
import { instanceOnLink, type Snapshot } from "@ganeti-ts/config";
import type { DiskObject, InstanceObject, NodeObject } from "@ganeti-ts/protocol";
import {
  argumentError,
  type ConfdOutcome,
  found,
  textError,
  unknownEntry,
} from "../wire/answer.js";
import { confdRoles } from "../wire/constants.js";
import type { ConfdArgument } from "../wire/query.js";
import { failureText, invalidArgument, lookedUp, shownError } from "./lookup.js";
import { instanceShape } from "./shapes.js";

/** O(log n). */
export function nodeRole(now: Snapshot, argument: ConfdArgument): ConfdOutcome {
  if (typeof argument !== "string") return invalidArgument(argument);
  const node = lookedUp(now, "node", argument);
  if (!node.ok) return textError(failureText(node.problem));
  return found(roleOf(now, node.object), serialOf(now));
}

function roleOf({ cluster }: Snapshot, node: NodeObject): number {
  if (node.uuid === cluster.master_node) return confdRoles.master;
  if (node.drained) return confdRoles.drained;
  if (node.offline) return confdRoles.offline;
  return node.master_candidate ? confdRoles.candidate : confdRoles.regular;
}

/** O(addresses asked about * log n). */
export function nodeIpOfInstanceIp(now: Snapshot, argument: ConfdArgument): ConfdOutcome {
  if (argument === null || typeof argument === "string") return argumentError;
  const link = argument["0"] ?? now.cluster.nicparams.default.link;
  const outcomeOf = (ip: string): ConfdOutcome => {
    const uuid = instanceOnLink(now, link, ip)?.primary_node;
    const node = uuid === undefined ? undefined : now.node(uuid);
    return node === undefined ? unknownEntry : found(node.primary_ip, serialOf(now));
  };
  if (argument["1"] != null) return outcomeOf(argument["1"]);
  const outcomes = (argument["2"] ?? []).map(outcomeOf);
  const triples = outcomes.map(({ status, answer, serial }) => [status, answer, serial]);
  return found(triples, serialOf(now));
}

/** Answer about all nodes, in descending order of UUIDs as Ganeti lists them. O(nodes). */
export const nodeIps = (now: Snapshot): ConfdOutcome => addresses(now, [...now.nodes()]);

/** O(candidates). */
export const candidateIps = (now: Snapshot): ConfdOutcome => addresses(now, now.masterCandidates());

const addresses = (now: Snapshot, nodes: readonly NodeObject[]): ConfdOutcome =>
  found(nodes.map(({ primary_ip }) => primary_ip).reverse(), serialOf(now));

/** In the order of UUIDs. O(offline nodes). */
export const offlineNodes = (now: Snapshot): ConfdOutcome =>
  found(
    now.offlineNodes().map(({ name }) => name),
    serialOf(now),
  );

/** O(instances of the node and their disks). */
export function nodeDrbd(now: Snapshot, argument: ConfdArgument): ConfdOutcome {
  if (typeof argument !== "string") return invalidArgument(argument);
  const node = lookedUp(now, "node", argument);
  if (!node.ok) return textError(shownError(node.problem));
  const { primary, secondary } = now.instancesOfNode(node.object.uuid);
  const instances = [...primary, ...secondary].sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  const rows = instances.flatMap((instance) => minorsOf(now, node.object, instance));
  return found(rows, node.object.serial_no ?? 0);
}

function minorsOf(now: Snapshot, node: NodeObject, instance: InstanceObject): unknown[] {
  const { name = "", primary_node } = instance;
  const role = primary_node === node.uuid ? "primary" : "secondary";
  return now.disksOf(instance).flatMap((disk, index) => {
    const end = drbdEnd(disk, node);
    const peer = end === undefined ? undefined : now.get("node", end.peer);
    if (end === undefined || peer === undefined) return [];
    return [[node.name, end.minor, name, `disk/${index}`, role, peer.name]];
  });
}

/** The minor that a drbd disk has on the node, and the node at its other end. */
function drbdEnd(disk: DiskObject, node: NodeObject): { minor: number; peer: string } | undefined {
  if (disk.dev_type !== "drbd" || disk.logical_id === undefined) return undefined;
  const [nodeA, nodeB, , minorA, minorB] = disk.logical_id;
  if (nodeA === node.uuid) return { minor: Number(minorA), peer: String(nodeB) };
  return nodeB === node.uuid ? { minor: Number(minorB), peer: String(nodeA) } : undefined;
}

/** Instances with this node as primary, and as secondary, with private parameters redacted. O(found). */
export function nodeInstances(now: Snapshot, argument: ConfdArgument): ConfdOutcome {
  if (typeof argument !== "string") return invalidArgument(argument);
  const node = lookedUp(now, "node", argument);
  if (!node.ok) {
    return textError(`Node not found in the configuration: ${shownError(node.problem)}`);
  }
  const { primary, secondary } = now.instancesOfNode(node.object.uuid);
  const answer = [primary.map(instanceShape), secondary.map(instanceShape)];
  return found(answer, node.object.serial_no ?? 0);
}

/** Serial number of the answers that concern the whole cluster. */
export const serialOf = ({ cluster }: Snapshot): number => cluster.serial_no ?? 0;
