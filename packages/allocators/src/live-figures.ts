/** Figures of nodes with a record of which ones changed. */
import type { NodeUuid } from "@ganeti-ts/protocol";
import type { LiveNode } from "./live-nodes.js";

/** Maximum number of recorded changes for each node; a reader that has missed more compares all nodes. */
const changesPerNode = 4;

/** Figures by node. A reader that remembers `position` gets the nodes to examine from `changedSince`: O(changed). */
export class LiveFigures extends Map<NodeUuid, LiveNode> {
  #changed: NodeUuid[] = [];
  #begin = 0;

  constructor(entries: Iterable<readonly [NodeUuid, LiveNode]> = []) {
    super();
    for (const [node, figures] of entries) super.set(node, figures);
  }

  /** Number of changes so far. */
  get position(): number {
    return this.#begin + this.#changed.length;
  }

  override set(node: NodeUuid, figures: LiveNode): this {
    this.#note(node);
    return super.set(node, figures);
  }

  override delete(node: NodeUuid): boolean {
    if (this.has(node)) this.#note(node);
    return super.delete(node);
  }

  /** Nodes set or deleted since that position; undefined if it is too long ago. */
  changedSince(position: number): readonly NodeUuid[] | undefined {
    return position < this.#begin ? undefined : this.#changed.slice(position - this.#begin);
  }

  #note(node: NodeUuid): void {
    if (this.#changed.length > changesPerNode * this.size + changesPerNode) {
      this.#begin += this.#changed.length;
      this.#changed = [];
    }
    this.#changed.push(node);
  }
}
