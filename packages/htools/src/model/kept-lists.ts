/** Lists of the instances of all nodes that a kept cluster changes in place, as instances come and go. */
import type { IndexList } from "./index-list.js";

type Lists = (IndexList | undefined)[];

/** Indices of instances; the lists of nodes are parts of it. */
interface Source {
  readonly entries: Int32Array;
}

/** A part of the entries; its values follow them. */
class KeptList implements IndexList {
  constructor(
    private readonly source: Source,
    private readonly begin: number,
    readonly length: number,
  ) {}

  get index(): number {
    return this.source.entries[this.begin] as number;
  }

  get rest(): IndexList | undefined {
    const { source, begin, length } = this;
    return length > 1 ? new KeptList(source, begin + 1, length - 1) : undefined;
  }

  /** The same list of other entries, which are equal. */
  of(source: Source): KeptList {
    return new KeptList(source, this.begin, this.length);
  }
}

/** Free places for further instances of each node. */
const spare = 2;

/** Lists of one role: by node, its instances, newest first, i.e. with descending indices. */
export class KeptLists {
  /** The places of a node follow each other; free ones hold -1. */
  entries: Int32Array;
  private readonly begins: Int32Array;
  private readonly capacities: Int32Array;
  private readonly sizes: Int32Array;
  /** End of the places given to nodes. */
  private end = 0;

  /**
   * O(nodes + instances), a few ns each.
   * @param lists by node, filled in and then kept up to date
   * @param nodeOf by instance; -1 for those that no node lists
   */
  constructor(
    private readonly lists: Lists,
    nodeOf: Int32Array,
  ) {
    const nodeCount = lists.length;
    this.sizes = new Int32Array(nodeCount);
    for (const node of nodeOf) if (node >= 0) this.sizes[node] = (this.sizes[node] as number) + 1;
    this.capacities = this.sizes.map((size) => size + spare);
    this.begins = new Int32Array(nodeCount);
    for (let node = 0; node < nodeCount; node++) {
      this.begins[node] = this.end;
      this.end += this.capacities[node] as number;
    }
    this.entries = new Int32Array(this.end).fill(-1);
    const next = this.begins.slice();
    for (let index = nodeOf.length - 1; index >= 0; index--) {
      const node = nodeOf[index] as number;
      if (node < 0) continue;
      this.entries[next[node] as number] = index;
      next[node] = (next[node] as number) + 1;
    }
    for (let node = 0; node < nodeCount; node++) this.show(node);
  }

  /** Lists an instance; nothing for node -1. O(instances of the node). */
  insert(node: number, index: number): void {
    if (node < 0) return;
    const size = this.sizes[node] as number;
    if (size === this.capacities[node]) this.enlarge(node, size);
    const { entries } = this;
    const begin = this.begins[node] as number;
    let at = begin + size;
    for (; at > begin && (entries[at - 1] as number) < index; at--) {
      entries[at] = entries[at - 1] as number;
    }
    entries[at] = index;
    this.sizes[node] = size + 1;
    this.show(node);
  }

  /** The opposite of `insert`. */
  remove(node: number, index: number): void {
    if (node < 0) return;
    const { entries } = this;
    const size = this.sizes[node] as number;
    const begin = this.begins[node] as number;
    const at = entries.subarray(begin, begin + size).indexOf(index) + begin;
    if (at < begin) throw new Error(`node ${node} does not list instance ${index}`);
    entries.copyWithin(at, at + 1, begin + size);
    entries[begin + size - 1] = -1;
    this.sizes[node] = size - 1;
    this.show(node);
  }

  /** Follows an instance of another index that no node lists, which has left all lists of the cluster. O(instances). */
  close(removed: number): void {
    const { entries } = this;
    for (let at = 0; at < entries.length; at++) {
      if ((entries[at] as number) > removed) entries[at] = (entries[at] as number) - 1;
    }
  }

  /** Makes room for a new instance at this index, to be inserted afterwards. O(instances). */
  open(added: number): void {
    const { entries } = this;
    for (let at = 0; at < entries.length; at++) {
      if ((entries[at] as number) >= added) entries[at] = (entries[at] as number) + 1;
    }
  }

  /** Copies of lists that follow no more, which a trial may have changed. O(nodes + instances). */
  frozen(lists: Lists): Lists {
    const source = { entries: this.entries.slice() };
    const copied = (list: IndexList | undefined): IndexList | undefined => {
      if (list === undefined) return undefined;
      if (list instanceof KeptList) return list.of(source);
      return { index: list.index, rest: copied(list.rest), length: list.length };
    };
    return lists.map(copied);
  }

  /** Sets the list of a node, in place of an equal one that does not follow. */
  show(node: number): void {
    const begin = this.begins[node] as number;
    const size = this.sizes[node] as number;
    this.lists[node] = size > 0 ? new KeptList(this, begin, size) : undefined;
  }

  /** Gives a node twice as many places, at the end. */
  private enlarge(node: number, size: number): void {
    const capacity = 2 * Math.max(1, size);
    if (this.end + capacity > this.entries.length) {
      const larger = new Int32Array(Math.ceil(1.1 * (this.end + capacity))).fill(-1);
      larger.set(this.entries);
      this.entries = larger;
    }
    const begin = this.begins[node] as number;
    this.entries.copyWithin(this.end, begin, begin + size);
    this.entries.fill(-1, begin, begin + size);
    this.begins[node] = this.end;
    this.capacities[node] = capacity;
    this.end += capacity;
  }
}
