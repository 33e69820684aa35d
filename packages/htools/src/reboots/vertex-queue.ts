/** The vertices not yet coloured, the most urgent first: a heap in which urgencies grow. */
export class VertexQueue {
  private readonly heap: Int32Array;
  /** Position of each vertex in the heap; -1 once taken. */
  private readonly place: Int32Array;
  private readonly urgency: Float64Array;
  private length: number;

  /** @param urgencies by vertex; no two may ever be equal */
  constructor(urgencies: readonly number[]) {
    this.urgency = Float64Array.from(urgencies);
    this.length = urgencies.length;
    this.heap = Int32Array.from(urgencies.keys()).sort((a, b) => this.of(b) - this.of(a));
    this.place = new Int32Array(this.length);
    for (const [at, vertex] of this.heap.entries()) this.place[vertex] = at;
  }

  has(vertex: number): boolean {
    return (this.place[vertex] as number) >= 0;
  }

  /** Takes out the most urgent one. O(log n). */
  take(): number | undefined {
    if (this.length === 0) return undefined;
    const vertex = this.heap[0] as number;
    const moved = this.heap[--this.length] as number;
    if (moved !== vertex) this.sink(moved);
    this.place[vertex] = -1;
    return vertex;
  }

  /** Makes a vertex that is still here more urgent. O(log n). */
  raise(vertex: number, by: number): void {
    const urgency = this.of(vertex) + by;
    this.urgency[vertex] = urgency;
    let at = this.place[vertex] as number;
    while (at > 0) {
      const parent = this.heap[(at - 1) >> 1] as number;
      if (this.of(parent) > urgency) break;
      this.put(at, parent);
      at = (at - 1) >> 1;
    }
    this.put(at, vertex);
  }

  /** Puts a vertex on the free top, and lets it down to where it belongs. */
  private sink(vertex: number): void {
    const urgency = this.of(vertex);
    let at = 0;
    for (;;) {
      const child = this.moreUrgentChild(at);
      if (child === undefined || this.of(this.heap[child] as number) < urgency) break;
      this.put(at, this.heap[child] as number);
      at = child;
    }
    this.put(at, vertex);
  }

  private moreUrgentChild(at: number): number | undefined {
    const left = 2 * at + 1;
    const right = left + 1;
    if (left >= this.length) return undefined;
    if (right >= this.length) return left;
    const { heap } = this;
    return this.of(heap[left] as number) > this.of(heap[right] as number) ? left : right;
  }

  private put(at: number, vertex: number): void {
    this.heap[at] = vertex;
    this.place[vertex] = at;
  }

  private of(vertex: number): number {
    return this.urgency[vertex] as number;
  }
}
