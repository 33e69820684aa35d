/** The port to allocators that are programs. */
import type { CancelSignal } from "@ganeti-ts/protocol";

/** Outcome of a run of an allocator program. */
export type AllocatorRun =
  /** What it wrote to stdout. */
  | { readonly ok: true; readonly stdout: string }
  /** Why it is no answer: `exited with exit code 1`; and all that it wrote. */
  | { readonly ok: false; readonly reason: string; readonly output: string };

/** Port that finds and runs allocator programs; `allocatorPrograms` is the one with processes. */
export interface AllocatorRunner {
  /** The path of the program of that name in the first directory that has one. */
  find(name: string): Promise<string | undefined>;
  /**
   * Runs the program with one argument, a file that holds `input`, and the options after it; no longer
   * than it may, and not after the signal. Never rejects.
   */
  run(
    path: string,
    input: string,
    options: readonly string[],
    signal: CancelSignal,
  ): Promise<AllocatorRun>;
}

/** Without programs, only the built-in one answers. */
export const noPrograms: AllocatorRunner = {
  find: async () => undefined,
  run: async () => ({ ok: false, reason: "no such program", output: "" }),
};
