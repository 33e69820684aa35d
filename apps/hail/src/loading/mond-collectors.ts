/** The two CPU load collectors, which turn reports into loads of nodes and instances. */
import { DataError, type NodeFigures } from "@ganeti-ts/htools";
import { type InstanceData, quotedList } from "@ganeti-ts/protocol";
import { type Report, readCpuLoad, readInstanceLoads } from "./mond-reports.js";

export interface Collector {
  readonly name: string;
  /** Loads by node and instance index, or the reason why there are none. Reports are indexed by node. */
  readonly loads: (
    reports: readonly (Report | undefined)[],
    nodes: readonly NodeFigures[],
    instances: readonly InstanceData[],
  ) => Loads | string;
}

interface Loads {
  readonly nodes: readonly number[];
  readonly instances: readonly number[];
}

export const collectorFor = (xen: boolean): Collector => (xen ? xenCpuLoad : cpuLoad);

/** Reports the load of nodes; it is divided among their instances by virtual CPUs. */
const cpuLoad: Collector = {
  name: "cpu-avg-load",
  loads: (reports, nodes, instances) => {
    const measured = readAll(reports, readCpuLoad);
    if (measured === undefined) return ignored("cpu-avg-load");
    const perVcpu = nodes.map(({ vcpusUsed }, node) => (measured[node] as number) / vcpusUsed);
    const ofInstances = instances.map(({ primary, vcpus }) => (perVcpu[primary] as number) * vcpus);
    return { nodes: measured, instances: ofInstances };
  },
};

/** Reports the load of instances; a node's load is the sum over its running instances. */
const xenCpuLoad: Collector = {
  name: "xen-cpu-avg-load",
  loads: (reports, nodes, instances) => {
    const measured = readAll(reports, readInstanceLoads);
    if (measured === undefined) return ignored("xen-cpu-avg-load");
    // If several nodes report an instance, the first report counts.
    const byName = new Map(measured.toReversed().flatMap((loads) => [...loads]));
    const missing = instances.filter(({ name }) => !byName.has(name)).map(({ name }) => name);
    if (missing.length > 0) return `No CPU information available for ${quotedList(missing)}`;
    const ofInstances = instances.map(({ name }) => byName.get(name) as number);
    const ofNodes = nodes.map(({ primaries }) =>
      primaries.reduce((sum, index) => sum + (ofInstances[index] as number), 0),
    );
    return { nodes: ofNodes, instances: ofInstances };
  },
};

/** Undefined if any report is missing or unreadable. */
function readAll<T>(
  reports: readonly (Report | undefined)[],
  read: (report: Report) => T,
): T[] | undefined {
  try {
    const present = reports.filter((report) => report !== undefined);
    return present.length < reports.length ? undefined : present.map(read);
  } catch (error) {
    if (error instanceof DataError) return undefined;
    throw error;
  }
}

const ignored = (collector: string) =>
  `Didn't receive an answer by all MonDs, ${collector}'s data will be ignored.`;
