/** JSON report of hspace, printed at the end. */
import { tiersOf } from "@ganeti-ts/htools";
import type { HspaceReport, HspaceRun } from "@ganeti-ts/protocol";
import { jsonText } from "../printing/json.js";
import type { After, Before, Report } from "./report.js";

export const jsonReport: Report = {
  start: () => "",
  tieredSpec: () => "",
  tiered: () => "",
  standardSpec: () => "",
  standard: (before, tiered, standard) => jsonText(hspaceReport(before, tiered, standard)),
};

function hspaceReport(
  { plan: { cluster, scope, kind }, statistics }: Before,
  tiered: After,
  standard: After,
): HspaceReport {
  const { nodes, instances } = cluster.data;
  return {
    diskTemplate: kind.diskTemplate,
    requiredNodes: scope.copies,
    nodes: nodes.length,
    reservations: instances.filter(({ forthcoming }) => forthcoming).length,
    blocked: scope.blocked,
    badNodes: scope.badNodes.map((node) => nodes[node]?.name ?? ""),
    before: statistics,
    tiered: runOf(tiered),
    standard: runOf(standard),
  };
}

function runOf({ run, statistics }: After): HspaceRun {
  const { nodes } = run.after.data;
  const nameOf = (node: number) => nodes[node]?.name ?? "";
  return {
    spec: run.spec,
    tiers: tiersOf(run.placed).map(({ spec, count }) => ({ spec, count })),
    instances: run.placed.map(({ spec, primary, secondary }, index) => ({
      name: `new-${index}`,
      spec,
      nodes: (secondary < 0 ? [primary] : [primary, secondary]).map(nameOf),
    })),
    failures: run.failures.map(({ reason, count }) => ({ reason, count })),
    after: statistics,
  };
}
