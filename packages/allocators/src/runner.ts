/** Port to allocator programs. */
import type { CancelSignal } from "@ganeti-ts/protocol";

/** Outcome of a run of an allocator program. */
export type AllocatorRun =
  /** Output of the program. */
  | { readonly ok: true; readonly stdout: string }
  /** Reason of the failure: `exited with exit code 1`; with the whole output. */
  | { readonly ok: false; readonly reason: string; readonly output: string };

/** Port that finds and runs allocator programs; `allocatorPrograms` implements it with processes. */
export interface AllocatorRunner {
  /** The path of the program of that name in the first directory that has one. */
  find(name: string): Promise<string | undefined>;
  /**
   * Runs the program with one argument, a file that contains `input`, followed by the options; limited by its
   * timeout and the signal. Never rejects.
   */
  run(
    path: string,
    input: string,
    options: readonly string[],
    signal: CancelSignal,
  ): Promise<AllocatorRun>;
}

/** Runner without programs, which leaves the built-in allocator alone. */
export const noPrograms: AllocatorRunner = {
  find: async () => undefined,
  run: async () => ({ ok: false, reason: "no such program", output: "" }),
};
