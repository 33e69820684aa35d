/**
 * Splits a command line into options and operands by the rules of GNU getopt.
 *
 * Options and operands may be mixed, `--` ends the options. Short options cluster (`-vp`); a required
 * argument is attached (`-tFILE`, `--text-data=FILE`) or the next word, an optional one must be
 * attached. Long names may be cut to a unique beginning.
 */
import type { Option } from "./option.js";
import { optionRows } from "./usage.js";

interface Occurrence<Settings> {
  readonly option: Option<Settings>;
  readonly text: string | undefined;
}

export interface Words<Settings> {
  readonly occurrences: readonly Occurrence<Settings>[];
  readonly operands: readonly string[];
  /** One text per fault, each ending in a newline. */
  readonly faults: readonly string[];
}

/**
 * `extensions` are options that an original program does not have: a cut name means one of them
 * only if it means none of `options`, so that every command line of the original keeps its meaning.
 */
export function getopt<Settings>(
  argv: readonly string[],
  options: readonly Option<Settings>[],
  extensions: readonly Option<Settings>[] = [],
): Words<Settings> {
  const queue = [...argv];
  const occurrences: Occurrence<Settings>[] = [];
  const operands: string[] = [];
  const faults: string[] = [];
  const unknown: string[] = [];

  const take = (option: Option<Settings>, shown: string, attached: string | undefined) => {
    const { argument } = option;
    if (!argument && attached !== undefined) {
      faults.push(`option \`${shown}' doesn't allow an argument\n`);
    } else if (!argument || argument.optional || attached !== undefined) {
      occurrences.push({ option, text: attached });
    } else if (queue.length === 0) {
      faults.push(`option \`${shown}' requires an argument ${argument.name}\n`);
    } else occurrences.push({ option, text: queue.shift() });
  };

  const takeLong = (word: string) => {
    const equals = word.indexOf("=");
    const name = word.slice(2, equals < 0 ? undefined : equals);
    const candidates = named(name, options, extensions);
    const [option] = candidates;
    if (option === undefined) unknown.push(word);
    else if (candidates.length > 1) {
      const rows = optionRows(candidates);
      faults.push(`option \`--${name}' is ambiguous; could be one of:\n${rows}`);
    } else take(option, `--${name}`, equals < 0 ? undefined : word.slice(equals + 1));
  };

  const takeShort = (word: string) => {
    const letter = String.fromCodePoint(word.codePointAt(1) as number);
    const shown = `-${letter}`;
    const attached = word.slice(shown.length);
    const option = [...options, ...extensions].find(({ short }) => short === letter);
    if (option?.argument) return take(option, shown, attached || undefined);
    if (attached) queue.unshift(`-${attached}`);
    if (option) take(option, shown, undefined);
    else unknown.push(shown);
  };

  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === "--") operands.push(...queue.splice(0));
    else if (word.startsWith("--")) takeLong(word);
    else if (word.startsWith("-") && word !== "-") takeShort(word);
    else operands.push(word);
  }
  faults.push(...unknown.map((word) => `unrecognized option \`${word}'\n`));
  return { occurrences, operands, faults };
}

/** The options a long name may mean: the one of exactly this name, else those that begin so. */
function named<Settings>(
  name: string,
  options: readonly Option<Settings>[],
  extensions: readonly Option<Settings>[],
): readonly Option<Settings>[] {
  const exact = [...options, ...extensions].filter(({ long }) => long === name);
  if (exact.length > 0) return exact;
  const beginning = options.filter(({ long }) => long.startsWith(name));
  return beginning.length > 0 ? beginning : extensions.filter(({ long }) => long.startsWith(name));
}
