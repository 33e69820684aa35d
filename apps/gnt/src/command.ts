/**
 * Programs and their commands as data, from which parsing, help, completion and manual pages are
 * derived.
 */
import type { Invocation } from "./invocation.js";

/**
 * | code | meaning |
 * |---|---|
 * | 0 | done |
 * | 1 | failed; also the answer no to most questions |
 * | 2 | the command line is wrong, the configuration is damaged, or no to some questions |
 * | 12 | a node could not be set up |
 * | 13 | no to a question about several objects |
 * | 14 | an unknown field was requested |
 */
export type ExitCode = 0 | 1 | 2 | 12 | 13 | 14;

/** Kind of object that an argument or value names; completion offers the existing ones. */
export type Kind =
  | ("instance" | "node" | "group" | "network" | "job" | "filter" | "os" | "tag")
  | ("allocator" | "export" | "storage-provider" | "field")
  | ("command" | "file" | "directory" | "host" | "text");

/** A run of arguments of one kind. Only the last run of a command may be without end. */
export interface Argument {
  readonly kind: Kind;
  readonly min: number;
  /** Infinity for any number. */
  readonly max: number;
  /** The only valid words; offered by completion, checked by the command. */
  readonly choices?: readonly string[];
}

/**
 * How the text of an option is read.
 *
 * | type | the text | read by |
 * |---|---|---|
 * | `flag` | none | `flag` |
 * | `count` | none; given several times it counts | `count` |
 * | `text` | anything, or one of `choices` | `text`, repeated `texts` |
 * | `integer`, `number` | a number | `integer`, `number` |
 * | `size` | a number with or without unit: `512`, `2g` | `mebibytes` |
 * | `yes-no` | `yes`, `no`, `true`, `false` | `yesNo` |
 * | `list` | texts with commas between them; `\,` is one that does not part | `list` |
 * | `key-values` | `k=v,k2=v2`; `key` is true, `no_key` false, `-key` null | `keyValues` |
 * | `id-key-values` | `id:k=v,…`; `no_id` and `-id` remove | `idKeyValues` |
 * | `many-id-key-values` | `id:k=v,…/id:…//id:…`: a list of the former | `manyIdKeyValues` |
 * | `json` | JSON | `json` |
 */
type OptionType =
  | ("flag" | "count" | "text" | "integer" | "number" | "size" | "yes-no" | "list")
  | ("key-values" | "id-key-values" | "many-id-key-values" | "json");

export interface Option {
  /** Long form without the dashes, and key in `OptionValues`. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** Further long forms. */
  readonly aliases?: readonly string[];
  readonly type: OptionType;
  /** If given several times all values count, otherwise the last one. */
  readonly repeatable?: boolean;
  /** Placeholder of the value in help texts: `<NAME>`. */
  readonly placeholder?: string;
  /** One or two lines, no full stop at the end. */
  readonly help: string;
  readonly completes?: Kind;
  /** The only valid values. */
  readonly choices?: readonly string[];
}

/** One sub-command. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Its line in the list of commands. */
  readonly summary: string;
  /** Arguments as shown in help texts: `[-f] <instance-name>`. */
  readonly usage: string;
  readonly arguments: readonly Argument[];
  readonly options: readonly Option[];
  /** Whole command lines, and what each of them does. */
  readonly examples: Readonly<Record<string, string>>;
  /**
   * Default arguments may be set in an environment variable: `GNT_NODE_LIST` for `gnt-node list`.
   */
  readonly environment?: true;
  /**
   * Its arguments are words of another program: options after the first one belong to that program.
   */
  readonly foreignWords?: true;
  /** Loads only the modules that the command needs: `async () => (await import("./list.js")).run`. */
  readonly load: () => Promise<CommandRun>;
}

/** Throws the errors of errors.ts. */
type CommandRun = (invocation: Invocation) => Promise<ExitCode>;

export interface Program {
  /** `gnt-job`. */
  readonly name: string;
  /** One line for manual pages and the list of programs. */
  readonly summary: string;
  readonly commands: readonly Command[];
}

/** A command as programs declare it: without arguments, options and usage unless it has some. */
export type Declared = Omit<Command, "name" | "usage" | "arguments" | "options"> &
  Partial<Pick<Command, "usage" | "arguments" | "options">>;

/** By name, in the order of completion. */
export type Commands = Readonly<Record<string, Declared>>;

export const programOf = (name: string, summary: string, commands: Commands): Program => ({
  name,
  summary,
  commands: Object.entries(commands).map(([command, declared]) => ({
    name: command,
    usage: "",
    arguments: [],
    options: [],
    ...declared,
  })),
});

/** One argument of this kind. */
export const one = (kind: Kind): readonly [Argument] => [{ kind, min: 1, max: 1 }];

export const anyNumber = (kind: Kind): readonly [Argument] => [
  { kind, min: 0, max: Number.POSITIVE_INFINITY },
];

export const atLeastOne = (kind: Kind): readonly [Argument] => [
  { kind, min: 1, max: Number.POSITIVE_INFINITY },
];

/** The command of a program by its name or an alias. */
export const findCommand = (
  commands: readonly Command[],
  given: string | undefined,
): Command | undefined =>
  commands.find(({ name, aliases }) => name === given || aliases?.includes(given ?? "") === true);
