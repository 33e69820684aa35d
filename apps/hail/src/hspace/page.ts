/** HTML page of hspace: the nodes before and after, and the number of instances that fit by size. */
import { type Cluster, formatFixed, type TrialSpec, tiersOf } from "@ganeti-ts/htools";
import { nodeStates } from "../page/node-states.js";
import type { Page, Section } from "../page/page.js";
import { type After, type Before, efficiencies } from "./report.js";

export function hspacePage(before: Before, tiered: After, standard: After): Page {
  const { cluster, kind, scope } = before.plan;
  const { statistics } = before;
  return {
    title: "Room on the cluster",
    facts: [
      ["nodes", String(cluster.nodeCount)],
      ["instances", String(statistics.instances)],
      ["disk template", kind.diskTemplate],
      ["more instances, sizes falling", String(tiered.run.placed.length)],
      [`more of ${specText(standard.run.spec)}`, String(standard.run.placed.length)],
      ["score", formatFixed(statistics.score, 8)],
      ...(scope.blocked ? ([["blocked by nodes that fail N+1", names(before)]] as const) : []),
    ],
    sections: [
      {
        kind: "nodes",
        title: "Nodes",
        states: [
          state("before", cluster),
          state("after falling sizes", tiered.run.after),
          state("after the standard size", standard.run.after),
        ],
      },
      usage(before, tiered, standard),
      tiers(tiered),
      failures("Why no more of falling sizes", tiered),
      failures("Why no more of the standard size", standard),
    ],
  };
}

const state = (name: string, cluster: Cluster) => ({
  name,
  nodes: nodeStates(cluster, [...cluster.data.nodes.keys()]),
});

const names = ({ plan: { cluster, scope } }: Before): string =>
  scope.badNodes.map((node) => cluster.data.nodes[node]?.name).join(", ");

const specText = ({ memoryMib, diskMib, vcpus }: TrialSpec): string =>
  `${gib(memoryMib)} GiB memory, ${gib(diskMib)} GiB disk, ${vcpus} vCPUs`;

const gib = (mib: number): string => String(Math.round((mib / 1024) * 100) / 100);

const tiers = ({ run }: After): Section => ({
  kind: "bars",
  title: "Capacity left, by falling sizes",
  thing: "size of an instance",
  value: "instances",
  bars: tiersOf(run.placed).map(({ spec, count }) => ({ label: specText(spec), value: count })),
  none: "No instance fits, whatever its size.",
});

const failures = (title: string, { run }: After): Section => ({
  kind: "bars",
  title,
  thing: "reason",
  value: "places refused",
  bars: run.failures
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => ({ label: reason, value: count })),
  none: "Nothing was refused.",
});

function usage(before: Before, tiered: After, standard: After): Section {
  const stages = [
    ["before", before.statistics],
    ["after falling sizes", tiered.statistics],
    ["after the standard size", standard.statistics],
  ] as const;
  const column = (header: string) => ({ header, numeric: header !== "" });
  return {
    kind: "table",
    title: "Use of the whole cluster",
    columns: ["", "instances", "memory %", "disk %", "vCPUs %", "score"].map(column),
    rows: stages.map(([name, statistics]) => {
      const { memory, disk, vcpu } = efficiencies(statistics);
      return [
        name,
        String(statistics.instances),
        ...[memory, disk, vcpu].map((share) => formatFixed(share * 100, 2)),
        formatFixed(statistics.score, 8),
      ];
    }),
  };
}
