/** A command line in GNU's ways as one of long options alone: `-nweb1 --sep : x` as `--node=web1 --separator=: -- x`. */
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

/**
 * Short options may stand together, the last with its value; long ones may be cut as far as they stay unique.
 * What takes a value takes the next word, whatever it looks like. Options may stand behind arguments, unless `mixed`
 * is false; behind `--` there are none. A negative number behind an argument is one too. O(words * options).
 *
 * @throws UsageError
 */
export function plainArguments(
  words: readonly string[],
  options: readonly Option[],
  mixed = true,
): PlainArguments {
  const plain: string[] = [];
  const rest: string[] = [];
  const spelling = new Map<string, string>();
  let at = 0;
  const take = (option: Option, spelled: string, attached: string | undefined) => {
    spelling.set(option.name, spelled);
    if (isSwitch(option)) return plain.push(`--${option.name}`);
    const value = attached ?? words[at++];
    if (value === undefined) throw new UsageError(`${spelled} option requires 1 argument`);
    return plain.push(`--${option.name}=${value}`);
  };
  while (at < words.length) {
    const word = words[at] as string;
    if (word === "--") {
      at += 1;
      break;
    }
    const isNumber = rest.length > 0 && /^-\d/.test(word);
    if (!word.startsWith("-") || word === "-" || isNumber) {
      if (!mixed) break;
      rest.push(word);
      at += 1;
      continue;
    }
    at += 1;
    if (word.startsWith("--")) {
      const [spelled = "", attached] = split(word);
      const [name, option] = longOption(spelled.slice(2), options);
      const known = `--${name}`;
      if (isSwitch(option) && attached !== undefined) {
        throw new UsageError(`${known} option does not take a value`);
      }
      take(option, known, attached);
      continue;
    }
    for (let letter = 1; letter < word.length; letter++) {
      const spelled = `-${word[letter]}`;
      const option = options.find(({ short }) => short === word[letter]);
      if (option === undefined) throw new UsageError(`no such option: ${spelled}`);
      const attached = word.slice(letter + 1);
      if (isSwitch(option)) take(option, spelled, undefined);
      else {
        take(option, spelled, attached === "" ? undefined : attached);
        break;
      }
    }
  }
  return { options: plain, rest: [...rest, ...words.slice(at)], spelling };
}

/** Takes no value. */
export const isSwitch = ({ type }: Option): boolean => type === "flag" || type === "count";

function split(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** With the name that was meant: one that is cut may be that of an alias. */
function longOption(given: string, options: readonly Option[]): readonly [string, Option] {
  const named = options.flatMap((option) =>
    [option.name, ...(option.aliases ?? [])].map((name) => [name, option] as const),
  );
  const exact = named.find(([name]) => name === given);
  if (exact !== undefined) return exact;
  const meant = named.filter(([name]) => name.startsWith(given));
  const [only] = meant;
  if (only === undefined) throw new UsageError(`no such option: --${given}`);
  if (meant.length === 1) return only;
  const names = meant.map(([name]) => `--${name}`).toSorted();
  throw new UsageError(`ambiguous option: --${given} (${names.join(", ")}?)`);
}
