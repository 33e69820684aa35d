/** Document printed by `hcheck --json`. */
import type { Cluster } from "@ganeti-ts/htools";
import type { HcheckHealth, HcheckReport } from "@ganeti-ts/protocol";
import { type GroupHealth, isHealthy } from "../health.js";
import type { Outcome } from "./text.js";

export const hcheckReport = (
  { data }: Cluster,
  { before, after, simulates }: Outcome,
): HcheckReport => ({
  healthy: isHealthy(before),
  simulated: simulates,
  groups: before.map((health, at) => ({
    name: data.groups[health.group]?.name ?? "",
    uuid: data.groups[health.group]?.uuid ?? "",
    before: reported(data.nodes, health),
    after: reported(data.nodes, after[at] as GroupHealth),
  })),
});

function reported(nodes: readonly { readonly name: string }[], health: GroupHealth): HcheckHealth {
  const names = (indices: readonly number[]) => indices.map((node) => nodes[node]?.name ?? "");
  return {
    failingN1: names(health.failingN1),
    conflicting: names(health.conflicting),
    offline: names(health.offline),
    offlinePrimaries: health.offlinePrimaries,
    stuck: health.stuck === undefined ? null : names(health.stuck),
    score: health.score,
  };
}
