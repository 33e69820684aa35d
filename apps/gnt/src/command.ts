/** What a program and its commands are, as data: parsing, help, completion and manual pages come from it. */
import type { Invocation } from "./invocation.js";

/**
 * | code | meaning |
 * |---|---|
 * | 0 | done |
 * | 1 | failed; also the answer no to most questions |
 * | 2 | the command line is wrong, the configuration is damaged, or no to some questions |
 * | 12 | a node could not be set up |
 * | 13 | no to a question about several things |
 * | 14 | a field was asked for that there is not |
 */
export type ExitCode = 0 | 1 | 2 | 12 | 13 | 14;

/** What an argument or a value names; completion offers those that there are. */
export type Kind =
  | ("instance" | "node" | "group" | "network" | "job" | "filter" | "os" | "tag")
  | ("allocator" | "export" | "storage-provider" | "field")
  | ("command" | "file" | "directory" | "host" | "text");

/** A run of arguments of one kind. Only the last run of a command may be without end. */
export interface Argument {
  readonly kind: Kind;
  readonly min: number;
  /** Infinity: as many as one likes. */
  readonly max: number;
  /** Where only these make sense; offered by completion, checked by the command. */
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
  /** Long form without the dashes; what `OptionValues` calls it. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** Further long forms. */
  readonly aliases?: readonly string[];
  readonly type: OptionType;
  /** Given several times all count, else the last. */
  readonly repeatable?: boolean;
  /** What help shows for the value: `<NAME>`. */
  readonly placeholder?: string;
  /** One or two lines, no full stop at the end. */
  readonly help: string;
  readonly completes?: Kind;
  /** No other text is taken. */
  readonly choices?: readonly string[];
}

interface Example {
  /** The whole command line. */
  readonly line: string;
  readonly does: string;
}

/** One sub-command. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Its line in the list of commands. */
  readonly summary: string;
  /** Arguments as help shows them: `[-f] <instance-name>`. */
  readonly usage: string;
  readonly arguments: readonly Argument[];
  readonly options: readonly Option[];
  readonly examples: readonly Example[];
  /** Default arguments may stand in an environment variable: `GNT_NODE_LIST` for `gnt-node list`. */
  readonly environment?: true;
  /** Its arguments are words of another program: what looks like an option behind the first of them is not ours. */
  readonly foreignWords?: true;
  /** Nothing is evaluated that the command does not need: `() => import("../commands/job/list.js")`. */
  readonly load: () => Promise<CommandBody>;
}

export interface CommandBody {
  /** Whatever goes wrong is thrown: see errors.ts. */
  run(invocation: Invocation): Promise<ExitCode>;
}

export interface Program {
  /** `gnt-job`. */
  readonly name: string;
  /** One line about it, for manual pages and the list of programs. */
  readonly summary: string;
  readonly commands: readonly Command[];
}
