/** A command line in GNU's ways as one of long options alone: `-nweb1 --sep : x` as `--node=web1 --separator=: -- x`. */
import { type OptionForm, optparseText, type ReadWords, readWords } from "@ganeti-ts/command-line";
import type { Option } from "../command.js";
import { UsageError } from "../errors.js";

export interface PlainArguments {
  /** `--name` or `--name=text`, each by its own name. */
  readonly options: readonly string[];
  /** The words that are no options, nor values of them. */
  readonly rest: readonly string[];
  /** How an option was written last, by its name: messages name it so. */
  readonly spelling: ReadonlyMap<string, string>;
}

/** Options may stand behind arguments, unless `mixed` is false. @throws UsageError for the first fault */
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

/** The words of a command line, with all faults; a negative number behind an argument is one too. */
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

/** Takes no value. */
export const isSwitch = ({ type }: Option): boolean => type === "flag" || type === "count";
