/** Document printed by `hinfo --json`. */
import {
  badItems,
  type Cluster,
  groupView,
  instanceFigures,
  metricsOf,
  nodeFigures,
  scoreOf,
  splitInstances,
} from "@ganeti-ts/htools";
import type { HinfoReport, InstanceReport, NodeReport } from "@ganeti-ts/protocol";

export function hinfoReport(cluster: Cluster): HinfoReport {
  const { data } = cluster;
  const all = [...data.nodes.keys()];
  const instanceName = (index: number) => data.instances[index]?.name ?? "";
  const nodeName = (index: number) => data.nodes[index]?.name ?? "";
  const groups = data.groups.flatMap(({ name, uuid, allocationPolicy }, index) => {
    const { nodes, instances } = groupView(cluster, index);
    if (nodes.length === 0) return [];
    const bad = badItems(cluster, nodes);
    return {
      name,
      uuid,
      allocationPolicy,
      nodes: nodes.length,
      instances: instances.length,
      badNodes: bad.nodes.map(nodeName),
      badInstances: bad.instances.map(instanceName),
      score: scoreOf(cluster, nodes) as HinfoReport["score"],
    };
  });
  return {
    tags: [...data.tags],
    n1Happy: groups.every(({ badNodes }) => badNodes.length === 0),
    score: scoreOf(cluster, all),
    metrics: metricsOf(cluster, all).map(({ component: { name, weight }, value }) => ({
      name: name as HinfoReport["metrics"][number]["name"],
      weight,
      value,
    })),
    groups,
    splitInstances: splitInstances(cluster).map(instanceName),
    nodes: all.map((index) => nodeReport(cluster, index)),
    instances: data.instances.map((_, index) => instanceReport(cluster, index)),
  };
}

function nodeReport(cluster: Cluster, index: number): NodeReport {
  const { data, facts } = cluster;
  const figures = nodeFigures(cluster, index);
  const names = (indices: readonly number[]) =>
    indices.map((instance) => data.instances[instance]?.name ?? "");
  return {
    name: figures.name,
    group: data.groups[facts.groupOf[index] ?? -1]?.name ?? "",
    offline: figures.offline,
    failsN1: figures.failsN1,
    memory: {
      total: figures.memoryTotalMib,
      node: figures.memoryNodeMib,
      instances: figures.memoryInstancesMib,
      missing: figures.memoryMissingMib,
      free: figures.memoryFreeMib,
      unallocated: figures.memoryUnallocatedMib,
      reserved: figures.memoryReservedMib,
    },
    disk: { total: figures.diskTotalMib, free: figures.diskFreeMib },
    cpu: {
      total: figures.cpuTotal,
      vcpusUsed: figures.vcpusUsed,
      vcpuRatioMax: figures.vcpuRatioMax,
    },
    spindles: {
      total: figures.spindleTotal,
      free: figures.spindlesFree,
      used: figures.spindlesUsed,
      max: figures.spindlesMax,
    },
    loads: figures.loads,
    primaries: names(figures.primaries),
    secondaries: names(figures.secondaries),
  };
}

function instanceReport(cluster: Cluster, index: number): InstanceReport {
  const { data, primary, secondary } = instanceFigures(cluster, index);
  const nodeName = (node: number) => cluster.data.nodes[node]?.name;
  return {
    name: data.name,
    primary: nodeName(primary) ?? "",
    secondary: nodeName(secondary) ?? null,
    status: data.status,
    forthcoming: data.forthcoming,
    autoBalance: data.autoBalance,
    diskTemplate: data.diskTemplate,
    memory: data.memoryMib,
    disk: data.diskMib,
    vcpus: data.vcpus,
    loads: (cluster.instances[index] as Cluster["instances"][number]).load,
  };
}
