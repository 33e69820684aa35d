/** Options of a program as data: their names, arguments and descriptions. */

/** An option of a program; `Settings` is the type its options fill in. */
export interface Option<Settings> {
  readonly short?: string;
  readonly long: string;
  readonly argument?: { readonly name: string; readonly optional?: true };
  /** Kind of candidates that a shell offers for the argument; default `none`. */
  readonly completes?: Completion;
  readonly description: string;
  /** Stores the option in `settings`; `text` is its argument, if any. Throws a DataError for a bad value. */
  readonly apply: (settings: Settings, text: string | undefined) => void;
}

type Completion =
  | "file"
  | "dir"
  | "host"
  | "onenode"
  | "manynodes"
  | "manyinstances"
  | "onegroup"
  | "integer"
  | "float"
  | "string"
  | `choices=${string}`;

/** The command line of a program: its options, operands and examples. */
export interface CommandLineProgram<Settings> {
  readonly name: string;
  /** Options of Ganeti's program of this name, in the order of its usage text. */
  readonly options: readonly Option<Settings>[];
  /** Options that Ganeti's program lacks. */
  readonly extensions: readonly Option<Settings>[];
  readonly examples: readonly Example[];
  /** Operands after the options, for completion scripts: kind, minimum and maximum number; empty: none. */
  readonly operands: string;
}

export interface Example {
  readonly words: string;
  readonly meaning: string;
}

/** `apply` of an option that stores a value. */
export const sets =
  <Key extends string>(key: Key, value: boolean) =>
  (settings: Record<Key, boolean>): void => {
    settings[key] = value;
  };

/** `apply` of an option that stores its argument; empty if it has none. */
export const reads =
  <Key extends string, Value>(key: Key, read: (text: string) => Value) =>
  (settings: Record<Key, Value | undefined>, text = ""): void => {
    settings[key] = read(text);
  };
