/** The first node, in index order, that has room: what first-fit asks for again and again. */
import type { Cluster } from "../model/cluster.js";
import { field } from "../model/node-columns.js";

const nothing = Number.NEGATIVE_INFINITY;

/**
 * Some nodes with their free memory and disk (MiB), and over each run of them the most of either.
 * A node can be withdrawn: then it has no room until it is offered again.
 */
export class RoomIndex {
  /** Leaves come last, node after node; the parent of entry i is i >> 1. */
  private readonly memory: Float64Array;
  private readonly disk: Float64Array;
  private readonly leaves: number;
  private readonly positionOf: ReadonlyMap<number, number>;
  private readonly withdrawn = new Set<number>();

  /** @param nodes ascending; O(n) */
  constructor(
    private readonly cluster: Cluster,
    private readonly nodes: readonly number[],
  ) {
    this.leaves = 2 ** Math.ceil(Math.log2(Math.max(1, nodes.length)));
    this.memory = new Float64Array(2 * this.leaves).fill(nothing);
    this.disk = new Float64Array(2 * this.leaves).fill(nothing);
    this.positionOf = new Map(nodes.map((node, position) => [node, position]));
    for (const node of nodes) this.refresh(node);
  }

  /** Looks at a node again; others than those of this index are ignored. O(log n). */
  refresh(node: number): void {
    const position = this.positionOf.get(node);
    if (position === undefined) return;
    const there = !this.withdrawn.has(node);
    let at = this.leaves + position;
    this.memory[at] = there ? this.cluster.get(node, field.memoryUnallocated) : nothing;
    this.disk[at] = there ? this.cluster.get(node, field.diskFree) : nothing;
    for (at >>= 1; at > 0; at >>= 1) {
      this.memory[at] = Math.max(this.memory[2 * at] as number, this.memory[2 * at + 1] as number);
      this.disk[at] = Math.max(this.disk[2 * at] as number, this.disk[2 * at + 1] as number);
    }
  }

  withdraw(node: number): void {
    this.withdrawn.add(node);
    this.refresh(node);
  }

  offer(node: number): void {
    this.withdrawn.delete(node);
    this.refresh(node);
  }

  /**
   * The nodes that have more than so much memory and more than so much disk, lowest index first;
   * ask for the next only while nothing has changed. Finding one costs O(log n) where it has the
   * memory that its neighbours have disk for.
   */
  *withRoom(memoryMib: number, diskMib: number): Generator<number> {
    const wait = [1];
    for (let at = wait.pop(); at !== undefined; at = wait.pop()) {
      const hasRoom =
        (this.memory[at] as number) > memoryMib && (this.disk[at] as number) > diskMib;
      if (!hasRoom) continue;
      if (at >= this.leaves) yield this.nodes[at - this.leaves] as number;
      else wait.push(2 * at + 1, 2 * at);
    }
  }
}
