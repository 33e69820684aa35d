/** Runner: the port through which the daemon runs all other programs. */
import type { Socket } from "node:net";

/** A program to run, without a shell. */
export interface Command {
  /** A name that is looked up in PATH, or an absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the environment of the daemon and `LC_ALL=C` (`C.UTF-8` if a text is not ASCII). */
  readonly env?: Readonly<Record<string, string>>;
  /** The program gets `env` only, without the daemon's environment and `LC_ALL`; `LC_CTYPE` is added if a value is not ASCII. Default false. */
  readonly cleanEnv?: boolean;
  /** Default `/`. */
  readonly cwd?: string;
  /** Written to its standard input, which is closed if absent. */
  readonly input?: string | Uint8Array;
  /** SIGTERM after this time (ms), SIGKILL `lingerMs` later. Default: no limit. */
  readonly timeoutMs?: number;
  /** Time from SIGTERM to SIGKILL (ms); default 5 000. */
  readonly lingerMs?: number;
  /** Both streams are appended to this file, and `stdout` and `stderr` stay empty. */
  readonly outputFile?: string;
  /**
   * For programs that work on the disks of an instance for a long time. If the daemon dies, the next one ends the program,
   * because its call is lost and it would keep others from writing or removing the disks. Default false.
   */
  readonly endsWithDaemon?: boolean;
  /** Descriptors and sockets of the daemon that the program inherits as 3, 4, … */
  readonly inherit?: readonly (number | Socket)[];
}

/** How a program ended. */
export interface Finished {
  readonly command: Command;
  /** Null if a signal ended it. */
  readonly code: number | null;
  /** Number of the signal that ended it. */
  readonly signal: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** `stuck`: it did not end even after SIGKILL, e.g. because it waits for a device in the kernel. */
  readonly limit: "none" | "terminated" | "killed" | "output" | "stuck";
}

/** A program that runs independently: it outlives the call, and possibly the daemon. */
export interface Detached {
  readonly pid: number;
}

export interface Runner {
  /** Rejects with `NodeFailure` if the program does not exist; all other outcomes are values. */
  run(command: Command): Promise<Finished>;
  /** Starts a program in its own session. Rejects as `run` does. */
  detach(command: Omit<Command, "timeoutMs" | "lingerMs" | "input">): Promise<Detached>;
}

export const succeeded = ({ code, limit }: Finished): boolean => code === 0 && limit === "none";

/** Standard output followed by standard error, for error messages. */
export const outputOf = ({ stdout, stderr }: Finished): string => stdout + stderr;

/** Why a program failed, in Ganeti's words: `exited with exit code 5`, `terminated by signal 15`, … */
export function reasonOf({ code, signal, limit, command }: Finished): string {
  const end = code === null ? `terminated by signal ${signal}` : `exited with exit code ${code}`;
  const seconds = ((command.timeoutMs ?? 0) / 1000).toFixed(2);
  const linger = ((command.lingerMs ?? lingerMsDefault) / 1000).toFixed(2);
  switch (limit) {
    case "none":
      return end;
    case "terminated":
      return `${end}, terminated after timeout of ${seconds} seconds`;
    case "killed":
      return `${end}, force termination after timeout of ${seconds} seconds and linger for another ${linger} seconds`;
    case "stuck":
      return `still running after SIGKILL, sent after a timeout of ${seconds} seconds`;
    case "output":
      return `${end}, killed after ${outputBytesMax} bytes of output`;
  }
}

export const lingerMsDefault = 5_000;
export const outputBytesMax = 16 * 1024 * 1024;

/** Options whose values are secrets. */
const secretOptions: ReadonlySet<string> = new Set(["--shared-secret"]);

/** Name and arguments of a command without secrets, for logs and messages. */
export const shownWords = ({ program, args }: Pick<Command, "program" | "args">): string[] =>
  [program, ...args].map((word, at, words) =>
    secretOptions.has(words[at - 1] ?? "") ? "<secret>" : word,
  );

/** A command as one line for logs, quoted as for a shell. */
export const commandText = (command: Pick<Command, "program" | "args">): string =>
  shownWords(command).map(shellQuoted).join(" ");

/** A word for a shell, quoted if necessary. */
export const shellQuoted = (word: string): string =>
  /^[-A-Za-z0-9_.,:/@+=%]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
