/** Changes to the nodes of a loaded cluster from the command line. */
import type { Cluster } from "./cluster.js";
import { DataError } from "./data-error.js";
import { findName } from "./find-name.js";

/** Changes of nodes before anything is placed, as the options of `hroller` and `hsqueeze` ask for them. */
interface NodeChanges {
  /**
   * Nodes that count as offline, as `findName` resolves them; a repeated name means all nodes of this name.
   */
  readonly offline?: readonly string[];
  /** Ratio of virtual to physical CPUs of every node, instead of its group's ratio. */
  readonly vcpuRatio?: number | undefined;
  /** Share of every node's disk that placements must leave free. */
  readonly reservedDiskRatio?: number;
}

/**
 * Changes a newly loaded cluster in place. Throws a DataError that lists unknown nodes. Source: Ganeti,
 * HTools/CLI.hs, `setNodeStatus`.
 */
export function changeNodes(cluster: Cluster, changes: NodeChanges): void {
  const { offline = [], vcpuRatio, reservedDiskRatio = 0 } = changes;
  const { facts, data } = cluster;
  const names = data.nodes.map(({ name }) => name);
  const found = new Map(offline.map((key) => [key, findName(names, key)]));
  const unknown = offline.filter((key) => found.get(key) === undefined);
  if (unknown.length > 0) {
    throw new DataError(`wrong node name(s) set as offline: ${unknown.join(",")}\n`);
  }
  const leaving = new Set(found.values());
  for (const [node, name] of names.entries()) {
    if (leaving.has(name)) facts.offline[node] = 1;
    facts.diskLow[node] = wholeMib(reservedDiskRatio * (facts.diskTotal[node] as number));
  }
  if (vcpuRatio !== undefined) facts.vcpuRatio.fill(vcpuRatio);
}

/** A value beyond 64 bits means no limit, as in Ganeti. */
const wholeMib = (mib: number): number =>
  Math.abs(mib) < 2 ** 63 ? Math.floor(mib) : Number.NEGATIVE_INFINITY;
