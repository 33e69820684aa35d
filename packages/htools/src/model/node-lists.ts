/** Lists of the instances of all nodes in both roles, for a kept cluster. */
import { type ClusterChange, positionsBefore } from "./cluster-change.js";
import type { IndexList } from "./index-list.js";
import { KeptLists } from "./kept-lists.js";

type Lists = (IndexList | undefined)[];

/** A cluster's lists by instance. */
interface Placements {
  readonly primaryOf: readonly number[];
  readonly secondaryOf: readonly number[];
}

/** With more instances that come and go, lists are made again: each costs a look at all entries. */
const changesMax = 32;

/** The lists that counting all instances would give, newest first; forthcoming instances are in none. */
export class NodeLists {
  private primaries: KeptLists;
  private secondaries: KeptLists;

  /**
   * O(nodes + instances), a few ns each.
   * @param lists those of a cluster, by node, which are filled in and kept up to date
   * @param forthcoming by instance: 1 for forthcoming ones
   */
  constructor(
    private readonly lists: { readonly primaries: Lists; readonly secondaries: Lists },
    placements: Placements,
    forthcoming: Uint8Array,
  ) {
    const count = placements.primaryOf.length;
    const primary = new Int32Array(count);
    const secondary = new Int32Array(count);
    for (let index = 0; index < count; index++) {
      primary[index] = listingPrimary(placements, forthcoming, index);
      secondary[index] = listingSecondary(placements, forthcoming, index);
    }
    this.primaries = new KeptLists(lists.primaries, primary);
    this.secondaries = new KeptLists(lists.secondaries, secondary);
  }

  /**
   * Removes the instances that a change removes or changes, given the placements before it. Returns a function that
   * lists those that it adds or changes, given the placements after it. O(instances) for each that comes or goes, about
   * a ns each.
   */
  change(
    change: ClusterChange,
    placements: Placements,
    forthcoming: Uint8Array,
  ): (placements: Placements, forthcoming: Uint8Array) => NodeLists {
    const { removed = [], added = [], changed = [] } = change;
    if (removed.length + added.length > changesMax) {
      return (after, planned) => new NodeLists(this.lists, after, planned);
    }
    const { primaries, secondaries } = this;
    const earlier = positionsBefore(change);
    for (const index of [...removed, ...changed.map((one) => earlier(one.index))]) {
      primaries.remove(listingPrimary(placements, forthcoming, index), index);
      secondaries.remove(listingSecondary(placements, forthcoming, index), index);
    }
    for (const lists of [primaries, secondaries]) {
      for (const index of removed.toSorted((a, b) => b - a)) lists.close(index);
      for (const { index } of added.toSorted((a, b) => a.index - b.index)) lists.open(index);
    }
    return (after, planned) => {
      for (const { index } of [...added, ...changed]) {
        primaries.insert(listingPrimary(after, planned, index), index);
        secondaries.insert(listingSecondary(after, planned, index), index);
      }
      return this;
    };
  }

  /** Sets the lists of a node, in place of equal ones that do not follow. */
  show(node: number): void {
    this.primaries.show(node);
    this.secondaries.show(node);
  }

  /** Copies of the lists that follow no more. O(nodes + instances). */
  frozen(
    primaries: Lists,
    secondaries: Lists,
  ): { readonly primaries: Lists; readonly secondaries: Lists } {
    return {
      primaries: this.primaries.frozen(primaries),
      secondaries: this.secondaries.frozen(secondaries),
    };
  }
}

/** The node that lists the instance as a primary: one with a single node in both roles counts only as a secondary. */
function listingPrimary(
  { primaryOf, secondaryOf }: Placements,
  forthcoming: Uint8Array,
  index: number,
): number {
  const primary = primaryOf[index] as number;
  return forthcoming[index] === 0 && primary !== secondaryOf[index] ? primary : -1;
}

const listingSecondary = ({ secondaryOf }: Placements, forthcoming: Uint8Array, index: number) =>
  forthcoming[index] === 0 ? (secondaryOf[index] as number) : -1;
