/** Answers about the cluster: its master, values of its configuration, data collectors. */
import type { Snapshot } from "@ganeti-ts/config";
import type { FilterRule } from "@ganeti-ts/protocol";
import { argumentError, type ConfdOutcome, found, textError } from "../wire/answer.js";
import { masterFields } from "../wire/constants.js";
import type { ConfdArgument } from "../wire/query.js";
import { Entries } from "../wire/value-text.js";
import { configView } from "./config-view.js";
import { invalidArgument, shownError } from "./lookup.js";
import { serialOf } from "./nodes.js";

/** O(log n + fields). */
export function clusterMaster(now: Snapshot, argument: ConfdArgument): ConfdOutcome {
  if (typeof argument === "string") return argumentError;
  const { cluster } = now;
  const master = now.node(cluster.master_node);
  if (master === undefined) {
    return textError(shownError(`Node uuid ${cluster.master_node} not found`));
  }
  if (argument === null) return found(master.name, serialOf(now));
  const values = {
    [masterFields.name]: master.name,
    [masterFields.clusterIp]: cluster.master_ip,
    [masterFields.nodeIp]: master.primary_ip,
  };
  return found(
    (argument["3"] ?? []).map((field) => values[field]),
    serialOf(now),
  );
}

/** Private parameters are redacted. O(path * log n), and what is written of the answer. */
export function configValue(
  now: Snapshot,
  argument: ConfdArgument,
  filters: readonly FilterRule[],
): ConfdOutcome {
  if (typeof argument !== "string") return invalidArgument(argument);
  const path = readPointer(argument);
  const value = path === undefined ? undefined : valueAt(configView(now, filters), path);
  return value === undefined ? argumentError : found(value, serialOf(now));
}

/** Collectors of Ganeti's monitoring daemon, in the order of their names. */
const collectors = [
  "cpu-avg-load",
  "diskstats",
  "drbd",
  "inst-status-xen",
  "lv",
  "xen-cpu-avg-load",
];

const intervalMicrosDefault = 5_000_000;

/** A collector of Xen's is not active where no Xen is. O(1). */
export function dataCollectors(now: Snapshot): ConfdOutcome {
  const { data_collectors, enabled_hypervisors } = now.cluster;
  const hasXen = enabled_hypervisors.some((name) => name === "xen-pvm" || name === "xen-hvm");
  const pairs = collectors.map((name) => {
    const { active = true, interval = intervalMicrosDefault } = data_collectors[name] ?? {};
    const isRunnable = name !== "inst-status-xen" || hasXen;
    return [name, { active: active && isRunnable, interval }] as const;
  });
  return found(Object.fromEntries(pairs), serialOf(now));
}

/** Parts of a JSON pointer. Undefined if the text is not one; as in Ganeti, it cannot point at the whole document. */
function readPointer(text: string): readonly string[] | undefined {
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Value at the end of the path, undefined if there is none. O(length of the path) steps. */
function valueAt(value: unknown, [token, ...rest]: readonly string[]): unknown {
  if (token === undefined || value === undefined) return value;
  return valueAt(childOf(value, token), rest);
}

function childOf(value: unknown, token: string): unknown {
  if (value instanceof Entries) return value.get(token);
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, token) ? (value as Record<string, unknown>)[token] : undefined;
}
