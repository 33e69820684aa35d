/** Ports of the programs to the operating system; tests pass their own. */
import type { LuxiConnection } from "@ganeti-ts/luxi/calls";

export interface Ports {
  /** The bytes of a file. Throws the system's error, with its `code`. */
  readonly readFile: (path: string) => Uint8Array;
  readonly readStdin: () => Uint8Array;
  readonly writeFile: (path: string, text: string) => void;
  /** The promise, if there is one, is fulfilled once everything is written. */
  readonly stdout: (text: string) => void | Promise<void>;
  readonly stderr: (text: string) => void;
  /** The terminal a stream is connected to; undefined if it is not a terminal. */
  readonly terminal: (stream: "stdout" | "stderr") => Promise<Terminal | undefined>;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** The body of a successful answer; undefined on failure. Never rejects. */
  readonly httpGet: (url: string) => Promise<string | undefined>;
  /** Path of the socket of this machine's master, of the server with that data directory if one is named. */
  readonly findLuxiSocket: (dataDir: string | undefined) => Promise<string>;
  /** Connects to a master's local socket. Throws a FileError. */
  readonly connectLuxi: (path: string) => Promise<LuxiConnection>;
  /** Microseconds since the epoch. */
  readonly nowMicros: () => number;
  /** Calls `handle` instead of ending the process; the returned function removes the handler. */
  readonly onSignal: (signal: "SIGINT" | "SIGTERM", handle: () => void) => () => void;
  /** A new UUID. */
  readonly freshId: () => string;
}

export interface Terminal {
  readonly columns: number;
  /** Whether to use colours: the terminal supports them, and NO_COLOR is not set. */
  readonly colour: boolean;
}
