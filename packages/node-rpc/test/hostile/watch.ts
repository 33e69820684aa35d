// Checks of a process that gets bad data: unhandled errors, and memory that is not released.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Number of bad exchanges: 200, or as many as `NODE_RPC_EXCHANGES` says. */
export const exchangesWanted = (): number => Number(process.env.NODE_RPC_EXCHANGES ?? 200);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of the heap in use after a garbage collection. */
export function heapAfterCollection(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Collects unhandled errors. */
export class Unhandled {
  readonly errors: unknown[] = [];
  readonly #note = (error: unknown): void => {
    this.errors.push(error);
  };

  watch(): void {
    process.on("unhandledRejection", this.#note).on("uncaughtException", this.#note);
  }

  end(): void {
    process.off("unhandledRejection", this.#note).off("uncaughtException", this.#note);
  }
}
