/** What a command gets: what it was told, and everything it may touch. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { Cluster } from "./cluster.js";

export interface Invocation {
  /** `gnt-job`. */
  readonly program: string;
  /** By its own name, whichever alias was used. */
  readonly command: string;
  readonly args: readonly string[];
  readonly options: OptionValues;
  readonly cluster: Cluster;
  readonly out: Output;
  readonly ask: Ask;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the server of this machine keeps its things. */
  readonly dataDirectory: string;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Nanoseconds since the epoch. */
  readonly now: () => bigint;
}

/** What the parameters of an `id:k=v` option say: values; false is removal, null is "as by default". */
export type IdParameters = readonly [id: string, parameters: JsonObject | false | null];

/**
 * By the names of the command's options. What was not given is undefined, false for flags, 0 for counts,
 * nothing for what repeats. To ask for an option that the command does not have is a bug.
 */
export interface OptionValues {
  /** The command has such an option. */
  knows(name: string): boolean;
  /** Given at all. */
  has(name: string): boolean;
  flag(name: string): boolean;
  count(name: string): number;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  integer(name: string): number | undefined;
  number(name: string): number | undefined;
  /** Whole MiB, rounded up to a multiple of 4. */
  mebibytes(name: string): number | undefined;
  yesNo(name: string): boolean | undefined;
  list(name: string): readonly string[] | undefined;
  keyValues(name: string): JsonObject | undefined;
  idKeyValues(name: string): readonly IdParameters[];
  manyIdKeyValues(name: string): readonly Readonly<Record<string, JsonObject>>[] | undefined;
  json(name: string): Json | undefined;
}

/** What a terminal can do; undefined where the output is a file or a pipe. */
export interface Terminal {
  /** As it is now. */
  readonly columns: number;
  readonly rows: number;
  /** As it is with `--color=auto`. */
  readonly colour: boolean;
  /** Lines that are too long after a resize are broken anew; else they are cut. */
  readonly reflows: boolean;
  /** What is given takes the listener back; so it is with the next. */
  onResize(listener: () => void): () => void;
  /** The program was stopped (Ctrl-Z), and goes on. */
  onResume(listener: () => void): () => void;
}

/** With `--json` standard output is one document: what is printed as lines becomes a part of it. */
export interface Output {
  /** A line on standard output. */
  line(text: string): void;
  /** Standard output without a newline of its own: escape sequences, progress. Not with `--json`. */
  write(text: string): void;
  /** A line, or several, on standard error. */
  error(text: string): void;
  /** `--json` was given. */
  readonly json: boolean;
  /** The document that `--json` prints, instead of one with the lines. The last one counts. */
  document(value: Json): void;
  readonly terminal: Terminal | undefined;
  /** Lines may be coloured: by `--color`, else where there is a terminal that is. */
  readonly colour: boolean;
}

export interface Choice<Value> {
  /** One letter, in lower case. */
  readonly key: string;
  readonly value: Value;
  readonly does: string;
}

/**
 * Questions go to the terminal, wherever the output goes. Without a terminal the answer is the last choice, and
 * standard error names the question and `answeredBy`: the option that answers it beforehand, e.g. `--force`.
 */
export interface Ask {
  /** `y/[n]/?`. */
  confirm(question: string, answeredBy: string): Promise<boolean>;
  choose<Value>(
    question: string,
    choices: readonly Choice<Value>[],
    answeredBy: string,
  ): Promise<Value>;
}
