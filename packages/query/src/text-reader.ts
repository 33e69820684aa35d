/** Reader of the tokens of a filter text, from left to right with backtracking. */
import { FilterTextError } from "./filter-error.js";

const operators = ["=~", "!~", "=*", "!*", "==", "!=", "<=", ">=", "=", "<", ">"] as const;
type Operator = (typeof operators)[number];

const delimiters = "/#^|";

/** Meaning of a backslash and a character in a regular expression; others are kept. */
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f" };

/** Each reading method skips blanks, then reads, or keeps the position and records the expected token. */
export class TextReader {
  position = 0;
  /** The farthest position at which reading failed. */
  farthest = 0;
  /** The token expected there. */
  expectation = "Expected a condition";
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    if (this.position >= this.#text.length) return true;
    return this.#missing("end of text") ?? false;
  }

  skipBlanks(): void {
    while (" \t\n\r".includes(this.#text[this.position] ?? "x")) this.position++;
  }

  /** Sets one name for several possible tokens at this position. */
  expects(what: string): void {
    this.skipBlanks();
    this.#missing(what);
  }

  /** A whole word, not adjacent to a letter, digit, `_` or `$`. */
  keyword(word: string): boolean {
    this.skipBlanks();
    const end = this.position + word.length;
    const found =
      this.#text.startsWith(word, this.position) &&
      !isWordCharacter(this.#text[end]) &&
      !isWordCharacter(this.#text[this.position - 1]);
    if (found) this.position = end;
    return found;
  }

  /** The characters, whatever follows them. */
  symbol(symbol: string): boolean {
    this.skipBlanks();
    if (!this.#text.startsWith(symbol, this.position)) {
      return this.#missing(`'${symbol}'`) ?? false;
    }
    this.position += symbol.length;
    return true;
  }

  operator(): Operator | undefined {
    this.skipBlanks();
    const found = operators.find((operator) => this.#text.startsWith(operator, this.position));
    if (found === undefined) return this.#missing("an operator");
    this.position += found.length;
    return found;
  }

  field(): string | undefined {
    return this.#match(/[A-Za-z][A-Za-z0-9_/.]*/y, "a field name");
  }

  /** A quoted string or an integer; beyond 2^53 a bigint. */
  value(): string | number | bigint | undefined {
    const digits = this.#match(/[+-]?[0-9]+/y, "a string or a number");
    if (digits === undefined) return this.quoted();
    const number = Number(digits);
    // Adding zero turns -0 into 0.
    return Number.isSafeInteger(number) ? number + 0 : BigInt(digits.replace("+", ""));
  }

  /** The text between the outer quotes, unchanged, with backslashes and doubled quotes. */
  quoted(): string | undefined {
    const literal = this.#match(
      /"(?:[^"\n\r\\]|""|\\[\s\S])*"|'(?:[^'\n\r\\]|''|\\[\s\S])*'/y,
      "a string in quotes",
    );
    return literal?.slice(1, -1);
  }

  /** A regular expression between delimiters, with or without a leading `m`; it may be empty. */
  delimited(): string | undefined {
    const start = this.position;
    if (this.#text[start] === "m") this.position++;
    this.skipBlanks();
    const delimiter = this.#text[this.position];
    if (delimiter === undefined || !delimiters.includes(delimiter)) {
      this.position = start;
      return this.#missing("a regular expression");
    }
    let body = "";
    for (let at = this.position + 1; at < this.#text.length; at++) {
      const character = this.#text[at] as string;
      if (character === delimiter) {
        this.position = at + 1;
        return body;
      }
      if (character === "\n" || character === "\r") break;
      if (character === "\\") {
        const next = this.#text[++at];
        if (next === undefined || next === "\n") break;
        body += escapes[next] ?? next;
      } else body += character;
    }
    const missing = this.#missing(`a regular expression ended by '${delimiter}'`);
    this.position = start;
    return missing;
  }

  /** Letters after a regular expression; after a blank, not the words that join conditions. */
  flags(): string {
    const start = this.position;
    this.skipBlanks();
    const blank = this.position > start;
    const letters = this.#match(/[A-Za-z]+/y, "flags") ?? "";
    if (!blank || (letters !== "and" && letters !== "or")) return letters;
    this.position = start;
    return "";
  }

  /** @throws FilterTextError */
  refuse(position: number, why: string): never {
    throw new FilterTextError(this.#text, position, why);
  }

  /** @throws FilterTextError if the nesting exceeds the limit of filters */
  allowDepth(depth: number, depthMax: number): void {
    if (depth >= depthMax) this.refuse(this.position, `Nested deeper than ${depthMax} levels`);
  }

  #match(pattern: RegExp, what: string): string | undefined {
    this.skipBlanks();
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return this.#missing(what);
    this.position += found.length;
    return found;
  }

  #missing(what: string): undefined {
    if (this.position > this.farthest || this.farthest === 0) {
      this.farthest = Math.max(this.farthest, this.position);
      this.expectation = `Expected ${what}`;
    }
    return undefined;
  }
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z0-9_$]/.test(character);
}
