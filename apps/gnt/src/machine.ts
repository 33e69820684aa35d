/** The machine that a program runs on: its terminal, environment, clock. Tests have one of their own. */
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
  /** The content of a file; `-` is standard input. Throws what the system says. */
  read(file: string): string;
  /** Whose the process is: root's server has its data elsewhere than those of others. */
  readonly uid: number;
  /** A line from the terminal itself, whatever standard input is; undefined without one. */
  askTerminal(question: string): Promise<string | undefined>;
}
