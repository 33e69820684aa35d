/** Forms in which an option may be written, and the rules of a command line. */

/** Notation of an option; `Option` is the caller's type of the option. */
export interface OptionForm<Option> {
  readonly option: Option;
  /** One letter, without the dash. */
  readonly short?: string | undefined;
  /** Without the dashes; the first is the usual one. */
  readonly long: readonly string[];
  /**
   * | value | written as |
   * |---|---|
   * | `none` | `-v`, `--verbose` |
   * | `required` | `-tFILE`, `-t FILE`, `--text=FILE`, `--text FILE`: the next word, whatever it looks like |
   * | `optional` | `-p`, `-pFIELDS`, `--print`, `--print=FIELDS`: never the next word |
   */
  readonly argument: "none" | "required" | "optional";
  /** A cut name means this option only if it means no option without this mark. */
  readonly yields?: boolean;
}

/** Rules for reading words as options and operands. */
export interface ReadRules {
  /** Whether options may stand behind operands; true if absent. */
  readonly mixed?: boolean;
  /** `-1` behind an operand is an operand too. */
  readonly negativeOperands?: boolean;
  /** `-v-x` is `-v --x`, as Haskell's GetOpt reads it; otherwise the second dash is an unknown option. */
  readonly dashEndsCluster?: boolean;
}
