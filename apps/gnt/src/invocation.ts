/** Invocation: arguments and options of a command, and its ports. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { Cluster } from "./cluster.js";

export interface Invocation {
  /** `gnt-job`. */
  readonly program: string;
  /** The primary name, even if an alias was used. */
  readonly command: string;
  readonly args: readonly string[];
  readonly options: OptionValues;
  readonly cluster: Cluster;
  readonly out: Output;
  readonly ask: Ask;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Data directory of this machine's server. */
  readonly dataDirectory: string;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Nanoseconds since the epoch. */
  readonly now: () => bigint;
}

/** Parameters of an `id:k=v` option: values; false for removal, null for the default. */
export type IdParameters = readonly [id: string, parameters: JsonObject | false | null];

/**
 * Values by option name. Omitted options are undefined, false for flags, 0 for counts, empty for
 * repeatable ones. Asking for an option that the command does not have is a bug.
 */
export interface OptionValues {
  /** Whether the command has such an option. */
  knows(name: string): boolean;
  /** Whether it was given. */
  has(name: string): boolean;
  /** Of any type; undefined for a flag that was not given. */
  value(name: string): Json | undefined;
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

/** Capabilities of a terminal; undefined if the output is a file or a pipe. */
export interface Terminal {
  /** Current width. */
  readonly columns: number;
  readonly rows: number;
  /** Whether `--color=auto` uses colours. */
  readonly colour: boolean;
  /** After a resize, lines that are too long are wrapped again; otherwise they are cut. */
  readonly reflows: boolean;
  /** Returns a function that removes the listener, here and below. */
  onResize(listener: () => void): () => void;
  /** The program continues after it was stopped (Ctrl-Z). */
  onResume(listener: () => void): () => void;
}

/** With `--json` standard output is one document, which contains the printed lines. */
export interface Output {
  /** A line on standard output. */
  line(text: string): void;
  /** Standard output without an added newline: escape sequences, progress. Not with `--json`. */
  write(text: string): void;
  /** A line, or several, on standard error. */
  error(text: string): void;
  /** Whether `--json` was given. */
  readonly json: boolean;
  /**
   * Sets the document printed for `--json`, instead of one with the lines. The last call counts.
   */
  document(value: Json): void;
  readonly terminal: Terminal | undefined;
  /** Whether lines may be coloured, by `--color` or the terminal. */
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
