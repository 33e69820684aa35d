/** Reader of command lines in GNU's ways. */
import type { Fault } from "./fault.js";
import type { OptionForm, ReadRules } from "./option-form.js";

/** One use of an option. */
export interface Occurrence<Option> {
  readonly option: Option;
  /** Its name in full, as far as it was long: `-t`, `--text`. */
  readonly name: string;
  readonly text: string | undefined;
}

/** The words of a command line, read. */
export interface ReadWords<Option> {
  readonly occurrences: readonly Occurrence<Option>[];
  readonly operands: readonly string[];
  /** In the order of the words; a word with a fault is not an occurrence. */
  readonly faults: readonly Fault<Option>[];
  /** Whether `--`, or an operand where options do not mix with them, has ended the options. */
  readonly ended: boolean;
}

/**
 * Splits words into options and operands.
 *
 * Options and operands may be mixed, `--` ends the options, `-` is an operand. Short options cluster
 * (`-vp`), the last with its argument; long names may be cut to a unique beginning. All words are read,
 * whatever their faults. O(words * options).
 */
export function readWords<Option>(
  words: readonly string[],
  forms: readonly OptionForm<Option>[],
  rules: ReadRules = {},
): ReadWords<Option> {
  const reader = new Reader(words, forms, rules);
  reader.readAll();
  return reader;
}

class Reader<Option> implements ReadWords<Option> {
  readonly occurrences: Occurrence<Option>[] = [];
  readonly operands: string[] = [];
  readonly faults: Fault<Option>[] = [];
  ended = false;
  readonly #words: readonly string[];
  /** Position of the next word. */
  #at = 0;
  /** The rest of a cluster, to be read as a word of its own. */
  #restOfCluster: string | undefined;
  readonly #forms: readonly OptionForm<Option>[];
  readonly #rules: ReadRules;

  constructor(words: readonly string[], forms: readonly OptionForm<Option>[], rules: ReadRules) {
    this.#words = words;
    this.#forms = forms;
    this.#rules = rules;
  }

  readAll(): void {
    const { mixed = true } = this.#rules;
    for (let word = this.#next(); word !== undefined; word = this.#next()) {
      if (word === "--") this.ended = true;
      else if (this.#isOperand(word)) {
        this.operands.push(word);
        if (!mixed) this.ended = true;
      } else if (word.startsWith("--")) this.#long(word);
      else this.#cluster(word.slice(1));
    }
    for (; this.#at < this.#words.length; this.#at++) {
      this.operands.push(this.#words[this.#at] as string);
    }
  }

  /** undefined behind the last word that may be an option. */
  #next(): string | undefined {
    if (this.ended) return undefined;
    const rest = this.#restOfCluster;
    this.#restOfCluster = undefined;
    return rest ?? this.#words[this.#at++];
  }

  #isOperand(word: string): boolean {
    if (!word.startsWith("-") || word === "-") return true;
    const isNegative = this.#rules.negativeOperands === true && /^-\d/.test(word);
    return isNegative && this.operands.length > 0;
  }

  #long(word: string): void {
    const equals = word.indexOf("=");
    const spelled = equals < 0 ? word : word.slice(0, equals);
    const meant = meantBy(spelled.slice(2), this.#forms);
    const [first] = meant;
    if (first === undefined) this.faults.push({ kind: "unknown", spelled, word });
    else if (meant.length > 1) {
      const names = meant.map(({ name }) => name);
      const forms = meant.map(({ form }) => form);
      this.faults.push({ kind: "ambiguous", spelled, names, forms });
    } else {
      this.#take(
        first.form,
        { spelled, name: first.name },
        equals < 0 ? undefined : word.slice(equals + 1),
      );
    }
  }

  /** `letters`: at least one. */
  #cluster(letters: string): void {
    const letter = String.fromCodePoint(letters.codePointAt(0) as number);
    const rest = letters.slice(letter.length);
    const spelled = `-${letter}`;
    const form = this.#forms.find(({ short }) => short === letter);
    if (form !== undefined && form.argument !== "none") {
      this.#take(form, { spelled, name: spelled }, rest === "" ? undefined : rest);
      return;
    }
    if (form === undefined) this.faults.push({ kind: "unknown", spelled, word: spelled });
    else this.#take(form, { spelled, name: spelled }, undefined);
    if (rest === "") return;
    if (this.#rules.dashEndsCluster && rest.startsWith("-")) this.#restOfCluster = `-${rest}`;
    else this.#cluster(rest);
  }

  #take(
    { option, argument }: OptionForm<Option>,
    { spelled, name }: { readonly spelled: string; readonly name: string },
    attached: string | undefined,
  ): void {
    if (argument === "none" && attached !== undefined) {
      this.faults.push({ kind: "argument not allowed", spelled, name, option });
    } else if (argument !== "required" || attached !== undefined) {
      this.occurrences.push({ option, name, text: attached });
    } else if (this.#at >= this.#words.length) {
      this.faults.push({ kind: "argument missing", spelled, name, option });
    } else this.occurrences.push({ option, name, text: this.#words[this.#at++] });
  }
}

interface Named<Option> {
  /** With its dashes. */
  readonly name: string;
  readonly form: OptionForm<Option>;
}

/** The option of exactly this name, else all that begin so: those that yield only if there are no others. */
function meantBy<Option>(
  given: string,
  forms: readonly OptionForm<Option>[],
): readonly Named<Option>[] {
  const beginning = forms.flatMap((form) =>
    form.long.filter((name) => name.startsWith(given)).map((name) => ({ name: `--${name}`, form })),
  );
  const exact = beginning.find(({ name }) => name === `--${given}`);
  if (exact !== undefined) return [exact];
  const firm = beginning.filter(({ form }) => !form.yields);
  return firm.length > 0 ? firm : beginning;
}
