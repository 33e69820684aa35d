/** Injected faults of calls. */
import type { NodeCallName } from "@ganeti-ts/node-calls";
import type { HostOperationName } from "./host-operations.js";

/** A fault to inject into calls. */
export interface CallFault {
  /**
   * `refused`: the node refuses the call. `lost before`: the call never arrives. `lost after`: the
   * call takes effect and its answer never arrives.
   */
  readonly kind: "refused" | "lost before" | "lost after";
  /** UUID; absent: any node. */
  readonly node?: string;
  /**
   * A call, or an operation of the machine without one (`fence`, `read_files`, …). Absent: any
   * call.
   */
  readonly call?: NodeCallName | HostOperationName;
  /** Number of calls to hit; absent: all. */
  readonly times?: number;
  /** Number of matching calls to let pass first. */
  readonly after?: number;
  readonly message?: string;
}

/** Pending faults. */
export class CallFaults {
  readonly #waiting = new Map<CallFault, { passing: number; left: number }>();

  /** Returns a function that removes the fault. */
  add(fault: CallFault): () => void {
    this.#waiting.set(fault, { passing: fault.after ?? 0, left: fault.times ?? Infinity });
    return () => this.#waiting.delete(fault);
  }

  /** The first fault that matches this call. */
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
