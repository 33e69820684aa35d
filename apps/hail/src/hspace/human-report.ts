/** Text report of hspace for people. */
import {
  type CapacityRun,
  type ClusterStatistics,
  formatFixed,
  type TrialSpec,
  tiersOf,
} from "@ganeti-ts/htools";
import { type After, type Before, efficiencies, type Report, tellsSpindles } from "./report.js";

export const humanReport: Report = {
  start: (before) => {
    const { cluster } = before.plan;
    const { statistics } = before;
    const { instances } = statistics;
    const resources = {
      MEM: formatFixed(statistics.memoryTotal, 0),
      DSK: formatFixed(statistics.diskTotal, 0),
      CPU: formatFixed(statistics.cpus, 0),
      VCPU: String(statistics.vcpus),
      ...(tellsSpindles(before) && { SPN: formatFixed(statistics.spindlesTotal, 0) }),
    };
    return `The cluster has ${cluster.nodeCount} nodes and the following resources:
  ${listed(resources)}.
There are ${instances > 0 ? instances : "no"} initial instances on the cluster.
`;
  },
  tieredSpec: (before, run) => specLines("Tiered (initial size)", run, before),
  tiered: (before, tiered) => {
    const tiers = tiersOf(tiered.run.placed).map(
      ({ spec, count }) =>
        `  - ${String(count).padStart(3)} instances of spec ${specText(spec, before)}\n`,
    );
    const counts = tiers.length > 0 ? tiers.join("") : "  - no instances allocated\n";
    return `Tiered allocation results:
${counts}${outcome(before, tiered)}`;
  },
  standardSpec: (before, run) => specLines("Standard (fixed-size)", run, before),
  standard: (before, _, standard) => {
    const count = String(standard.run.placed.length).padStart(3);
    return `Normal (fixed-size) allocation results:
  - ${count} instances allocated
${outcome(before, standard)}`;
  },
};

const listed = (resources: Readonly<Record<string, string>>): string =>
  Object.entries(resources)
    .map(([name, amount]) => `${name} ${amount}`)
    .join(", ");

const specText = ({ memoryMib, diskMib, vcpus, spindles }: TrialSpec, before: Before): string =>
  listed({
    MEM: String(memoryMib),
    DSK: String(diskMib),
    CPU: String(vcpus),
    ...(tellsSpindles(before) && { SPN: String(spindles) }),
  });

const specLines = (what: string, run: CapacityRun, before: Before): string =>
  `${what} instance spec is:
  ${specText(run.spec, before)}, using disk template '${before.plan.kind.diskTemplate}'.
`;

/**
 * If no allocation was tried, Ganeti's hspace crashes; we print FailMem, as it does if no allocation failed.
 */
function outcome(before: Before, { run, statistics }: After): string {
  return `  - most likely failure reason: ${run.failures[0]?.reason ?? "FailMem"}
  - initial cluster score: ${formatFixed(before.statistics.score, 8)}
  -   final cluster score: ${formatFixed(statistics.score, 8)}
${efficiencyLines(statistics, tellsSpindles(before))}`;
}

function efficiencyLines(statistics: ClusterStatistics, withSpindles: boolean): string {
  const { spindles, ...usual } = efficiencies(statistics);
  const rows = Object.entries(withSpindles ? { ...usual, spindles } : usual);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, share]) => {
      const percent = formatFixed(share * 100, 2).padStart(5);
      return `  - ${name.padStart(width)} usage efficiency: ${percent}%\n`;
    })
    .join("");
}
