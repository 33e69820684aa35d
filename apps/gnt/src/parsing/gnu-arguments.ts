/**
 * GNU-style command lines rewritten with long options only: `-nweb1 --sep : x` as `--node=web1
 * --separator=: -- x`.
 */
import { type OptionForm, optparseText, type ReadWords, readWords } from "@ganeti-ts/command-line";
import type { Option } from "../command.js";
import { UsageError } from "../errors.js";

export interface PlainArguments {
  /** `--name` or `--name=text`, each by its primary name. */
  readonly options: readonly string[];
  /** Words that are neither options nor their values. */
  readonly rest: readonly string[];
  /** Last spelling of an option, by its name, for messages. */
  readonly spelling: ReadonlyMap<string, string>;
}

/** Options may follow arguments, unless `mixed` is false. @throws UsageError for the first fault */
export function plainArguments(
  words: readonly string[],
  options: readonly Option[],
  mixed = true,
): PlainArguments {
  const { occurrences, operands, faults } = gnuWords(words, options, mixed);
  const [fault] = faults;
  if (fault !== undefined) throw new UsageError(optparseText(fault));
  return {
    options: occurrences.map(({ option, text }) =>
      text === undefined ? `--${option.name}` : `--${option.name}=${text}`,
    ),
    rest: operands,
    spelling: new Map(occurrences.map(({ option, name }) => [option.name, name])),
  };
}

/**
 * The words of a command line, with all faults; a negative number after an argument is a word as
 * well.
 */
export const gnuWords = (
  words: readonly string[],
  options: readonly Option[],
  mixed: boolean,
): ReadWords<Option> => readWords(words, options.map(formOf), { mixed, negativeOperands: true });

const formOf = (option: Option): OptionForm<Option> => ({
  option,
  short: option.short,
  long: [option.name, ...(option.aliases ?? [])],
  argument: isSwitch(option) ? "none" : "required",
});

/** Whether the option takes no value. */
export const isSwitch = ({ type }: Option): boolean => type === "flag" || type === "count";
