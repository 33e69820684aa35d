/** Report of hspace as shell variables, with Ganeti's names in Ganeti's order. */
import {
  type Cluster,
  type ClusterStatistics,
  formatFixed,
  formatShow,
  type TrialSpec,
  tiersOf,
} from "@ganeti-ts/htools";
import { shellVariables } from "../printing/shell-variables.js";
import { type Before, efficiencies, type Report } from "./report.js";

type Pairs = readonly (readonly [key: string, value: string | number])[];

export const machineReport: Report = {
  start: ({ plan: { cluster }, statistics }) =>
    lines([
      ["CLUSTER_MEM", formatFixed(statistics.memoryTotal, 0)],
      ["CLUSTER_DSK", formatFixed(statistics.diskTotal, 0)],
      ["CLUSTER_CPU", formatFixed(statistics.cpus, 0)],
      ["CLUSTER_VCPU", statistics.vcpus],
      ["CLUSTER_SPN", formatFixed(statistics.spindlesTotal, 0)],
      ["CLUSTER_NODES", cluster.nodeCount],
      ...statisticsOf("INI", statistics, reservations(cluster)),
    ]),
  tieredSpec: (before, run) => lines(specOf("TSPEC_INI", run.spec, before)),
  tiered: (before, { run, statistics }) => {
    const tiers = tiersOf(run.placed).map(({ spec, count }) => {
      const { memoryMib, diskMib, vcpus, spindles } = spec;
      return `${memoryMib},${diskMib},${vcpus},${spindles}=${count}`;
    });
    return lines([
      ...statisticsOf("TRL", statistics, reservations(before.plan.cluster)),
      ["TSPEC", tiers.join(" ")],
      ...keyMetrics(before.statistics, statistics),
    ]);
  },
  standardSpec: (before, run) => lines(specOf("SPEC", run.spec, before)),
  standard: (before, _, { run, statistics }) => {
    const { cluster } = before.plan;
    const initial = cluster.data.instances.length;
    const added = run.placed.length;
    return lines([
      ...statisticsOf("FIN", statistics, reservations(cluster)),
      ["ALLOC_USAGE", formatFixed(initial / (initial + added), 8)],
      ["ALLOC_INSTANCES", added],
      ["ALLOC_FAIL_REASON", (run.failures[0]?.reason ?? "FailMem").toUpperCase()],
      ...run.failures.map(({ reason, count }) => [`ALLOC_${reason}_CNT`, count] as const),
      ["OK", 1],
    ]);
  },
};

const lines = (pairs: Pairs): string => shellVariables("HTS", pairs);

/** Forthcoming instances hold resources and count as instances, although no node lists them as primaries. */
const reservations = ({ data }: Cluster): number =>
  data.instances.filter(({ forthcoming }) => forthcoming).length;

function statisticsOf(prefix: string, statistics: ClusterStatistics, reserved: number): Pairs {
  const { memory, disk, vcpu, spindles } = efficiencies(statistics);
  const pairs: Pairs = [
    ["SCORE", formatFixed(statistics.score, 8)],
    ["INST_CNT", statistics.instances + reserved],
    ["MEM_FREE", statistics.memoryFree],
    ["MEM_AVAIL", statistics.memoryAvailable],
    ["MEM_RESVD", statistics.memoryFree - statistics.memoryAvailable],
    ["MEM_INST", statistics.memoryInstances],
    ["MEM_OVERHEAD", statistics.memoryOverhead],
    ["MEM_EFF", formatFixed(memory, 8)],
    ["DSK_FREE", statistics.diskFree],
    ["DSK_AVAIL", statistics.diskAvailable],
    ["DSK_RESVD", statistics.diskFree - statistics.diskAvailable],
    ["DSK_INST", statistics.diskInstances],
    ["DSK_EFF", formatFixed(disk, 8)],
    ["SPN_FREE", statistics.spindlesFree],
    ["SPN_INST", statistics.spindlesUsed],
    ["SPN_EFF", formatFixed(spindles, 8)],
    ["CPU_INST", statistics.vcpusUsed],
    ["CPU_EFF", formatFixed(vcpu, 8)],
    ["MNODE_MEM_AVAIL", statistics.memoryAvailableMost],
    ["MNODE_DSK_AVAIL", statistics.diskAvailableMost],
  ];
  return pairs.map(([key, value]) => [`${prefix}_${key}`, value]);
}

function specOf(prefix: string, spec: TrialSpec, { plan: { scope, kind } }: Before): Pairs {
  return [
    [`${prefix}_MEM`, spec.memoryMib],
    [`${prefix}_DSK`, spec.diskMib],
    [`${prefix}_CPU`, spec.vcpus],
    [`${prefix}_SPN`, spec.spindles],
    [`${prefix}_RQN`, scope.copies],
    [`${prefix}_DISK_TEMPLATE`, kind.diskTemplate],
  ];
}

/** Resources in use, those that the run added, and those left, which may not be usable. */
function keyMetrics(before: ClusterStatistics, after: ClusterStatistics): Pairs {
  const group = (
    name: string,
    [cpu, normalized, memory, disk, spindles]: readonly [number, number, number, number, number],
  ): Pairs => [
    [`KM_${name}_CPU`, cpu],
    [`KM_${name}_NPU`, formatShow(normalized)],
    [`KM_${name}_MEM`, memory],
    [`KM_${name}_DSK`, disk],
    [`KM_${name}_SPN`, spindles],
  ];
  const used = (of: ClusterStatistics) =>
    [of.vcpusUsed, of.cpusUsed, of.memoryInstances, of.diskInstances, of.spindlesUsed] as const;
  const [cpu, normalized, memory, disk, spindles] = used(after);
  const [cpuWas, normalizedWas, memoryWas, diskWas, spindlesWas] = used(before);
  return [
    ...group("USED", used(before)),
    ...group("POOL", [
      cpu - cpuWas,
      normalized - normalizedWas,
      memory - memoryWas,
      disk - diskWas,
      spindles - spindlesWas,
    ]),
    ...group("UNAV", [
      after.vcpus - cpu,
      after.cpus - normalized,
      Math.trunc(after.memoryTotal) - memory,
      Math.trunc(after.diskTotal) - disk,
      Math.trunc(after.spindlesTotal) - spindles,
    ]),
  ];
}
