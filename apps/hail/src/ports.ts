/** What the programs need from the world; tests give their own. */
import type { LuxiConnection } from "@ganeti-ts/luxi/calls";

export interface Ports {
  /** The bytes of a file. Throws the system's error, with its `code`. */
  readonly readFile: (path: string) => Uint8Array;
  readonly readStdin: () => Uint8Array;
  readonly writeFile: (path: string, text: string) => void;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** The terminal at the other end of a stream; undefined if it is something else. */
  readonly terminal: (stream: "stdout" | "stderr") => Promise<Terminal | undefined>;
  /** Milliseconds since some moment. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** The body of a successful answer; undefined if there was none. Never rejects. */
  readonly httpGet: (url: string) => Promise<string | undefined>;
  /** Connects to a master's local socket. Throws a FileError. */
  readonly connectLuxi: (path: string) => Promise<LuxiConnection>;
  /** Microseconds since the epoch. */
  readonly nowMicros: () => number;
  /** Calls `handle` instead of ending the process; the function it gives takes that back. */
  readonly onSignal: (signal: "SIGINT" | "SIGTERM", handle: () => void) => () => void;
  /** A UUID that nobody has had before. */
  readonly freshId: () => string;
}

export interface Terminal {
  readonly columns: number;
  /** Whether who looks at it is to see colours: it shows them, and NO_COLOR is not set. */
  readonly colour: boolean;
}
