/** Reboot groups, in order. Source: Ganeti, HTools/Program/Hroller.hs. */
import { type CancelSignal, isMirrored } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import { DataError } from "../model/data-error.js";
import { toArray } from "../model/index-list.js";
import { type Part, partition, replay } from "./partition.js";
import { Rehearsal, type Step } from "./rehearsal.js";

/** Options of `rebootGroups`. */
interface RebootOptions {
  /** Moves every instance off a group's nodes, including mirrored ones and secondaries. */
  readonly fullEvacuation?: boolean;
  /** Leaves instances without a mirror on their nodes. */
  readonly ignoreNonRedundant?: boolean;
}

/** Nodes that can be rebooted at the same time, with the moves that empty them. */
export interface RebootGroup {
  /** The master is last. May be empty: then the group contains only unselected nodes. */
  readonly nodes: readonly number[];
  /** Moves before the reboot of the group, in index order, without mere role changes. */
  readonly moves: readonly RebootMove[];
}

/** Move of an instance before a reboot. */
export interface RebootMove {
  readonly index: number;
  readonly primary: number;
  /** Only for mirrored instances. */
  readonly secondary: number | undefined;
  /**
   * The node that Ganeti's hroller prints. It is different if the node itself was emptied of secondaries: the
   * original then confuses it with the primary of one of these.
   */
  readonly primaryNamed: number;
  readonly secondaryNamed: number | undefined;
}

/** Callbacks of `rebootGroups`. */
interface RebootWatch {
  /** Called after each node. `total` counts a node once for each kind of move. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Once it is aborted the search ends with its reason as the error. */
  readonly signal?: CancelSignal | undefined;
}

/**
 * Splits each class of a colouring into groups whose nodes can be emptied at once. Largest groups first, but
 * those with a master last.
 *
 * Throws a DataError that names the instances that could not be moved, if there is not enough room.
 * @param classes classes of a colouring; unselected nodes are emptied too, but not listed
 * @param selected the nodes to list
 * Cost: that of `partition` for every class.
 */
export function rebootGroups(
  cluster: Cluster,
  classes: readonly (readonly number[])[],
  selected: readonly number[],
  options: RebootOptions = {},
  watch: RebootWatch = {},
): readonly RebootGroup[] {
  const rehearsal = new Rehearsal(cluster);
  const kindCount = Number(!options.ignoreNonRedundant) + Number(options.fullEvacuation ?? false);
  const total = kindCount * classes.reduce((sum, { length }) => sum + length, 0);
  let done = 0;
  const tried = (emptied: boolean) => {
    if (watch.signal?.aborted) throw watch.signal.reason;
    if (emptied) done++;
    watch.onProgress?.(done, total);
  };

  let parts: readonly Part[] = classes.map((nodes) => ({
    nodes,
    steps: [],
    mistakenNodes: new Map(),
  }));
  if (!options.ignoreNonRedundant) {
    parts = parts.flatMap(
      ({ nodes }) =>
        partition(rehearsal, nodes, [], "move", tried) ??
        refuse("Not enough capacity to move non-redundant instances"),
    );
  }
  if (options.fullEvacuation) {
    parts = parts
      .map((part) => failOver(rehearsal, part))
      .flatMap(
        ({ nodes, steps }) =>
          partition(rehearsal, nodes, steps, "replace", tried) ??
          refuse("Not enough capacity to move secondaries"),
      );
  }
  const listed = new Set(selected);
  return inOrder(
    cluster,
    parts.map((part) => ({
      nodes: part.nodes.filter((node) => listed.has(node)),
      moves: movesOf(cluster, part),
    })),
  );
}

/** Fails over every mirrored primary of the part's nodes. */
function failOver(rehearsal: Rehearsal, { nodes, steps }: Part): Part {
  const { cluster } = rehearsal;
  replay(rehearsal, steps);
  const mirrored = nodes
    .flatMap((node) => toArray(cluster.primaries[node]))
    .filter((index) => isMirrored(cluster.instances[index]?.data.diskTemplate));
  for (const index of mirrored) {
    const { primary, secondary } = rehearsal.placeOf(index);
    const swapped: Step = { kind: "failover", index, primary: secondary, secondary: primary };
    if (secondary < 0 || !rehearsal.make(swapped)) refuse("Failed to migrate instances off nodes");
  }
  const part = {
    nodes,
    steps: rehearsal.stepsSince(0),
    mistakenNodes: rehearsal.mistakenNodes(),
  };
  rehearsal.takeBack(0);
  return part;
}

function movesOf(cluster: Cluster, { steps, mistakenNodes }: Part): RebootMove[] {
  const last = new Map(steps.map((step) => [step.index, step]));
  const named = (node: number) => mistakenNodes.get(node) ?? node;
  return [...last.values()]
    .sort((a, b) => a.index - b.index)
    .flatMap(({ index, primary, secondary }) => {
      const mirrored = isMirrored(cluster.instances[index]?.data.diskTemplate);
      const primaryBefore = cluster.primaryOf[index] as number;
      const secondaryBefore = cluster.secondaryOf[index] as number;
      const same = primary === primaryBefore && (!mirrored || secondary === secondaryBefore);
      const swapped = primary === secondaryBefore && secondary === primaryBefore;
      if (same || swapped) return [];
      return [
        {
          index,
          primary,
          secondary: mirrored ? secondary : undefined,
          primaryNamed: named(primary),
          secondaryNamed: mirrored ? named(secondary) : undefined,
        },
      ];
    });
}

function inOrder(cluster: Cluster, groups: readonly RebootGroup[]): RebootGroup[] {
  const isMaster = (node: number) => Number(cluster.data.nodes[node]?.master ?? false);
  const masters = ({ nodes }: RebootGroup) => nodes.filter(isMaster).length;
  return groups
    .toSorted((a, b) => b.nodes.length - a.nodes.length)
    .sort((a, b) => Number(masters(a) > 0) - Number(masters(b) > 0))
    .map(({ nodes, moves }) => ({
      nodes: nodes.toSorted((a, b) => isMaster(a) - isMaster(b)),
      moves,
    }));
}

function refuse(reason: string): never {
  throw new DataError(reason);
}
