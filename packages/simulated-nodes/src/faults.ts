/** What goes wrong with calls, on purpose. */
import type { NodeCallName } from "@ganeti-ts/node-calls";
import type { HostOperationName } from "./host-operations.js";

export interface CallFault {
  /**
   * `refused`: the node says no. `lost before`: the call never arrives. `lost after`: it does what it
   * should, and its answer never arrives.
   */
  readonly kind: "refused" | "lost before" | "lost after";
  /** UUID; absent: any node. */
  readonly node?: string;
  /** A call, or what is done on the machine without one (`fence`, `read_files`, …). Absent: any call. */
  readonly call?: NodeCallName | HostOperationName;
  /** How many calls it hits; absent: all. */
  readonly times?: number;
  /** Lets so many pass first. */
  readonly after?: number;
  readonly message?: string;
}

/** Faults that are waiting for their calls. */
export class CallFaults {
  readonly #waiting = new Map<CallFault, { passing: number; left: number }>();

  /** What it gives takes the fault back. */
  add(fault: CallFault): () => void {
    this.#waiting.set(fault, { passing: fault.after ?? 0, left: fault.times ?? Infinity });
    return () => this.#waiting.delete(fault);
  }

  /** The first fault that hits this call. */
  next(node: string, call: NodeCallName | HostOperationName): CallFault | undefined {
    for (const [fault, count] of this.#waiting) {
      if ((fault.node ?? node) !== node || (fault.call ?? call) !== call) continue;
      if (count.passing > 0) {
        count.passing--;
        continue;
      }
      if (--count.left <= 0) this.#waiting.delete(fault);
      return fault;
    }
    return undefined;
  }
}
