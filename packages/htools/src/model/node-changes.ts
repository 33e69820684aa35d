/** What a person says about the nodes of a loaded cluster, over what its input says. */
import type { Cluster } from "./cluster.js";
import { DataError } from "./data-error.js";
import { findName } from "./find-name.js";

export interface NodeChanges {
  /** Nodes that count as offline, as `findName` understands them; a repeated name means all of it. */
  readonly offline?: readonly string[];
  /** Virtual per physical CPU that every node bears, in place of its group's ratio. */
  readonly vcpuRatio?: number | undefined;
  /** The share of every node's disk that placements are to leave free. */
  readonly reservedDiskRatio?: number;
}

/**
 * Changes the cluster in place; for one that was just loaded. Throws a DataError that names the
 * nodes nobody knows. Source: Ganeti, HTools/CLI.hs, `setNodeStatus`.
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

/** What does not fit into 64 bits is as good as no limit, as in Ganeti. */
const wholeMib = (mib: number): number =>
  Math.abs(mib) < 2 ** 63 ? Math.floor(mib) : Number.NEGATIVE_INFINITY;
