/**
 * In which groups, and in which order, nodes can be rebooted.
 * Source: Ganeti, HTools/Program/Hroller.hs.
 */
import type { Cluster } from "../cluster.js";
import { DataError } from "../data-error.js";
import { toArray } from "../index-list.js";
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
   * The node that Ganeti's hroller names as the primary. It is another one where the primary itself
   * was emptied of secondaries: the original then takes it for a node that one of these has.
   */
  readonly primaryNamed: number;
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

  let parts: readonly Part[] = classes.map((nodes) => ({ nodes, steps: [] }));
  if (!options.ignoreNonRedundant) {
    parts = parts.flatMap(
      ({ nodes }) =>
        partition(rehearsal, nodes, [], "unmirrored primaries", tried) ??
        refuse("Not enough capacity to move non-redundant instances"),
    );
  }
  if (options.fullEvacuation) {
    parts = parts
      .map((part) => failOver(rehearsal, part))
      .flatMap(
        ({ nodes, steps }) =>
          partition(rehearsal, nodes, steps, "secondaries", tried) ??
          refuse("Not enough capacity to move secondaries"),
      );
  }
  const listed = new Set(selected);
  return inOrder(
    cluster,
    parts.map(({ nodes, steps }) => ({
      nodes: nodes.filter((node) => listed.has(node)),
      moves: movesOf(cluster, steps),
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
    const { primary, secondary } = rehearsal.seatOf(index);
    const swapped: Step = { index, primary: secondary, secondary: primary };
    if (secondary < 0 || !rehearsal.make(swapped)) refuse("Failed to migrate instances off nodes");
  }
  const all = rehearsal.stepsSince(0);
  rehearsal.takeBack(0);
  return { nodes, steps: all };
}

function movesOf(cluster: Cluster, steps: readonly Step[]): RebootMove[] {
  const seats = new Map(steps.map((step) => [step.index, step]));
  const named = namesMistaken(cluster, steps);
  return [...seats.values()]
    .sort((a, b) => a.index - b.index)
    .flatMap(({ index, primary, secondary }) => {
      const primaryBefore = cluster.primaryOf[index] as number;
      const secondaryBefore = cluster.secondaryOf[index] as number;
      const same = primary === primaryBefore && secondary === secondaryBefore;
      const swapped = primary === secondaryBefore && secondary === primaryBefore;
      if (same || swapped) return [];
      const mirrored = cluster.instances[index]?.data.diskTemplate === "drbd";
      const primaryNamed = named.get(primary) ?? primary;
      return [{ index, primary, secondary: mirrored ? secondary : undefined, primaryNamed }];
    });
}

/**
 * Which node is taken for which: with every secondary that leaves a node, what the original knows of
 * that node is overwritten by what it knows of the instance's primary.
 * Source: Ganeti, HTools/Program/Hroller.hs, `replaceSecondary`.
 */
function namesMistaken(cluster: Cluster, steps: readonly Step[]): ReadonlyMap<number, number> {
  const named = new Map<number, number>();
  const seats = new Map<number, Step>();
  for (const step of steps) {
    const { index, primary } = step;
    const before = seats.get(index);
    const primaryBefore = before?.primary ?? cluster.primaryOf[index];
    const secondaryBefore = before?.secondary ?? (cluster.secondaryOf[index] as number);
    if (primary === primaryBefore) named.set(secondaryBefore, named.get(primary) ?? primary);
    seats.set(index, step);
  }
  return named;
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
