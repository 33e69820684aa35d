/** Machine on which a program runs: terminal, environment, clock. Tests have their own. */
import type { Terminal } from "./invocation.js";

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
  writeError(text: string): void;
  readonly terminal: Terminal | undefined;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Nanoseconds since the epoch. */
  readonly now: () => bigint;
  /** Content of a file; `-` is standard input. @throws the error of the system */
  read(file: string): string;
  /** User id: the data directory of root's server differs from those of other users. */
  readonly uid: number;
  /**
   * A line from the terminal itself, even if standard input is redirected; undefined without one.
   */
  askTerminal(question: string): Promise<string | undefined>;
}
