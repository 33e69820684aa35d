/** Text output of hcheck, for people and for scripts. */
import { type Cluster, formatFixed } from "@ganeti-ts/htools";
import { clusterCounts, countsOf, type GroupHealth, isHealthy } from "../health.js";
import { shellVariables } from "../printing/shell-variables.js";
import type { HcheckSettings } from "./settings.js";

/** The counted problems, in order; the last is omitted without capacity checks. */
const counted = [
  { key: "N1_FAIL", text: "Nodes not N+1 happy" },
  { key: "CONFLICT_TAGS", text: "Nodes with conflicting instances" },
  { key: "OFFLINE_PRI", text: "Instances having the primary node offline" },
  { key: "OFFLINE_SEC", text: "Instances having a secondary node offline" },
  { key: "GN1_FAIL", text: "Nodes not directly evacuateable" },
];

type Phase = "initially" | "after rebalancing";
type Entry = readonly [key: string, text: string, value: string | number];

/** Figures of the cluster before balancing. */
export function initialText(
  cluster: Cluster,
  healths: readonly GroupHealth[],
  settings: HcheckSettings,
): string {
  const healthy = isHealthy(healths);
  if (settings.machineReadable) {
    const uuids = cluster.data.groups.map(({ uuid }, at) => [`GROUP_UUID_${at}`, uuid] as const);
    return (
      shellVariables("HCHECK", uuids) + statistics(cluster, "initially", healths, healthy, settings)
    );
  }
  if (settings.verbosity < 1) return "";
  return `${verdict(healthy, settings)}\n${statistics(cluster, "initially", healths, healthy, settings)}`;
}

function verdict(healthy: boolean, { simulation }: HcheckSettings): string {
  if (!simulation) return "Running in no-simulation mode.";
  return healthy
    ? "No need to rebalance cluster, no problems found."
    : "Cluster needs rebalancing.";
}

export interface Outcome {
  readonly before: readonly GroupHealth[];
  readonly after: readonly GroupHealth[];
  /** Whether balancing was simulated. */
  readonly simulates: boolean;
}

/** The same figures after balancing; the health status is still the one from before, as in Ganeti. */
export function finalText(
  cluster: Cluster,
  { before, after, simulates }: Outcome,
  settings: HcheckSettings,
): string {
  const { machineReadable, verbosity } = settings;
  if (!machineReadable && (!simulates || verbosity < 1)) return "";
  const text = statistics(cluster, "after rebalancing", after, isHealthy(before), settings);
  return machineReadable ? text + shellVariables("HCHECK", [["OK", 1]]) : text;
}

function statistics(
  cluster: Cluster,
  phase: Phase,
  healths: readonly GroupHealth[],
  healthy: boolean,
  settings: HcheckSettings,
): string {
  const { machineReadable } = settings;
  const shown = counted.slice(0, settings.capacityChecks ? undefined : -1);
  const prefix = phase === "initially" ? "INIT" : "FINAL";
  const block = (title: string, keys: string, entries: readonly Entry[]) =>
    machineReadable
      ? shellVariables(
          "HCHECK",
          entries.map(([key, , value]) => [`${prefix}_${keys}_${key}`, value]),
        )
      : `\n${title} ${phase}\n${entries.map(([, text, value]) => `    ${text}: ${value}\n`).join("")}`;

  const groups = healths.map((health) => {
    const score: Entry = ["SCORE", "Group score", formatFixed(health.score, 8)];
    const values = countsOf(health);
    const entries = shown.map(({ key, text }, at): Entry => [key, text, values[at] as number]);
    const name = cluster.data.groups[health.group]?.name;
    return block(`Statistics for group ${name}`, `GROUP_${health.group}`, [...entries, score]);
  });
  const need = machineReadable ? Number(!healthy) : healthy ? "False" : "True";
  const texts = [...shown, { key: "NEED_REBALANCE", text: "Cluster is not healthy" }];
  // Without any group there is a single value, printed under the first name.
  const entries = [...clusterCounts(healths), need].map((value, at): Entry => {
    const { key, text } = texts[at] as (typeof texts)[number];
    return [key, text, value];
  });
  return [...groups, block("Cluster statistics", "CLUSTER", entries)].join("");
}
