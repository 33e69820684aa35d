/**
 * In which groups, and in which order, nodes can be rebooted.
 * Source: Ganeti, HTools/Program/Hroller.hs.
 */
import type { Cluster } from "../model/cluster.js";
import { DataError } from "../model/data-error.js";
import { toArray } from "../model/index-list.js";
import { type Part, partition, replay } from "./partition.js";
import { Rehearsal, type Step } from "./rehearsal.js";

export interface RebootOptions {
  /** Moves every instance off a group's nodes, mirrored ones and secondaries too. */
  readonly fullEvacuation?: boolean;
  /** Leaves the instances that have no mirror where they are. */
  readonly ignoreNonRedundant?: boolean;
}

export interface RebootGroup {
  /** The master is the last. May be empty: then it stands for nodes that are not selected. */
  readonly nodes: readonly number[];
  /** Whom to move before the group is rebooted, in index order; not those that only change roles. */
  readonly moves: readonly RebootMove[];
}

/** Where an instance goes. */
export interface RebootMove {
  readonly index: number;
  readonly primary: number;
  /** Only of a mirrored instance. */
  readonly secondary: number | undefined;
  /**
   * The nodes that Ganeti's hroller names. It is another one where the node itself was emptied of
   * secondaries: the original then takes it for the primary of one of these.
   */
  readonly primaryNamed: number;
  readonly secondaryNamed: number | undefined;
}

export interface RebootWatch {
  /** Told after each node tried. `total` counts a node once for each kind of move. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** An AbortSignal; once it is aborted the search ends with its reason as the error. */
  readonly signal?: { readonly throwIfAborted: () => void } | undefined;
}

/**
 * Makes each class of a colouring into groups whose nodes can be emptied at once. Most nodes first,
 * but groups with a master last.
 *
 * Refuses what there is no room for, with a DataError that names what could not be moved.
 * @param classes of a colouring; nodes that are not selected are emptied too, but not listed
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
    watch.signal?.throwIfAborted();
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

/** Every mirrored primary of the part's nodes changes roles with its mirror. */
function failOver(rehearsal: Rehearsal, { nodes, steps }: Part): Part {
  const { cluster } = rehearsal;
  replay(rehearsal, steps);
  const mirrored = nodes
    .flatMap((node) => toArray(cluster.primaries[node]))
    .filter((index) => cluster.instances[index]?.data.diskTemplate === "drbd");
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
      const mirrored = cluster.instances[index]?.data.diskTemplate === "drbd";
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
