/** Selection of the nodes to reboot. Source: Ganeti, HTools/Program/Hroller.hs. */
import { isMirrored } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import { toArray } from "../model/index-list.js";

/** Nodes to be rebooted. */
interface Selection {
  /** Index of the only group wanted. */
  readonly group?: number;
  /** Only nodes with at least one of these tags. */
  readonly tags?: readonly string[];
  /** Leaves out nodes with a primary instance that has no mirror. */
  readonly skipNonRedundant?: boolean;
}

/** The online nodes that all of it applies to, ascending. */
export function nodesToReboot(cluster: Cluster, selection: Selection = {}): number[] {
  const { group, skipNonRedundant } = selection;
  const tags = selection.tags && new Set(selection.tags);
  return cluster.data.nodes.flatMap((node, index) => {
    if (cluster.facts.offline[index] === 1) return [];
    if (group !== undefined && cluster.facts.groupOf[index] !== group) return [];
    if (tags !== undefined && !node.tags.some((tag) => tags.has(tag))) return [];
    return skipNonRedundant && hasUnmirrored(cluster, index) ? [] : [index];
  });
}

const hasUnmirrored = ({ primaries, instances }: Cluster, node: number): boolean =>
  toArray(primaries[node]).some((index) => !isMirrored(instances[index]?.data.diskTemplate));
