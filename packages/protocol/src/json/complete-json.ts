/** Reader for every JSON text that Ganeti accepts, which words the faults of all others. */
import { Digits, depthMax, JsonDocument, type JsonTree, Members } from "./json-document.js";
import { allocatorMessage, jsonError, syntaxError } from "./syntax-error.js";

/** The text must fit into one string of the engine. */
const sizeMax = 2 ** 29 - 25;

/**
 * The values of `bytes`; errors begin with `subject`.
 *
 * Accepts what Ganeti's reader accepts: JSON (RFC 8259) whose outermost value is an object or array with
 * nothing before it, plus numbers that end with a point (`1.`) and more kinds of blanks. @throws MessageError
 * `malformed_json`
 */
export function completeDocument(bytes: Uint8Array, subject = allocatorMessage): JsonDocument {
  if (bytes.length > sizeMax) {
    throw jsonError(`${bytes.length} bytes are too many (${sizeMax})`, subject);
  }
  return new JsonDocument(new Reader(oneCharacterPerByte(bytes), subject).whole());
}

/** Positions in such a text are those in the bytes; only strings are decoded from UTF-8. */
function oneCharacterPerByte(bytes: Uint8Array): string {
  let text = "";
  // The number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 4096) {
    // `apply` accepts any array-like value, but its type only arrays.
    const part = bytes.subarray(at, at + 4096) as unknown as number[];
    text += String.fromCharCode.apply(null, part);
  }
  return text;
}

// Tokens at a position. Blanks include those of Unicode, vertical tab and form feed, as in Ganeti's reader.
const blanks = /[\t-\r ]+|\xc2\xa0|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xaf]|\xe2\x81\x9f|\xe3\x80\x80/y;
const word = /true|false|null/y;
const number = /-?(\d*)(?:\.(?!\d)|(?:\.\d+)?(?:[eE][-+]?(\d*))?)/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids these inside strings.
const plain = /[^"\\\x00-\x1f\x80-\xff]+/y;
const escaped = /\\(?:(["\\/bfnrt])|u([\da-fA-F]{4}))/y;
/** One character; the second byte's range excludes overlong forms, surrogates and more than U+10FFFF. */
const utf8 =
  /[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}/y;

const quote = 0x22;
const backslash = 0x5c;

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const words = { true: true, false: false, null: null };

class Reader {
  readonly #text: string;
  readonly #subject: string;
  #at = 0;

  constructor(text: string, subject: string) {
    this.#text = text;
    this.#subject = subject;
  }

  whole(): JsonTree {
    if (this.#text[0] !== "{" && this.#text[0] !== "[") {
      const what = "Invalid JSON: a JSON text a serialized object or array at the top level.";
      throw jsonError(what, this.#subject);
    }
    const tree = this.#value(0);
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#error("expected nothing more");
    return tree;
  }

  #value(depth: number): JsonTree {
    switch (this.#text[this.#at]) {
      case "{":
      case "[":
        if (depth === depthMax) throw this.#error(`more than ${depthMax} levels of nesting`);
        return this.#text[this.#at] === "{" ? this.#object(depth) : this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  #object(depth: number): Members {
    const list: JsonTree[] = [];
    for (let more = this.#enters("}"); more; more = this.#continues("}")) {
      if (this.#text[this.#at] !== '"') throw this.#error('expected " of a key');
      list.push(this.#string());
      this.#skipBlanks();
      if (this.#text[this.#at] !== ":") throw this.#error("expected : after the key");
      this.#at++;
      this.#skipBlanks();
      list.push(this.#value(depth + 1));
    }
    return new Members(list);
  }

  #array(depth: number): JsonTree[] {
    const list: JsonTree[] = [];
    for (let more = this.#enters("]"); more; more = this.#continues("]")) {
      list.push(this.#value(depth + 1));
    }
    return list;
  }

  /** Passes the opening bracket, and the closing one of an empty object or array: false. */
  #enters(close: string): boolean {
    this.#at++;
    this.#skipBlanks();
    if (this.#text[this.#at] !== close) return true;
    this.#at++;
    return false;
  }

  /** Passes the comma or the closing bracket after a value. */
  #continues(close: string): boolean {
    this.#skipBlanks();
    const found = this.#text[this.#at];
    if (found !== "," && found !== close) throw this.#error(`expected , or ${close}`);
    this.#at++;
    if (found === close) return false;
    this.#skipBlanks();
    return true;
  }

  #scalar(): JsonTree {
    const found = this.#match(word)?.[0] as keyof typeof words | undefined;
    if (found !== undefined) return words[found];
    const start = this.#at;
    if (!/[-\d]/.test(this.#text[start] ?? "")) throw this.#error("expected a value");
    const [digits = "", whole = "", exponent] = this.#match(number) ?? [];
    const first = digits[0] === "-" ? start + 1 : start;
    if (whole === "") throw this.#error("expected a digit", first);
    if (whole.length > 1 && whole[0] === "0") {
      throw this.#error("expected no leading zero", first);
    }
    if (exponent === "") throw this.#error("expected a digit of the exponent");
    const isShort = digits.length <= 15 && digits.length === first - start + whole.length;
    return isShort ? Number(digits) : new Digits(digits);
  }

  #string(): string {
    const start = this.#at + 1;
    let at = start;
    let code = this.#text.charCodeAt(at);
    // A loop is faster than a search: most strings are short.
    while (code >= 0x20 && code < 0x80 && code !== quote && code !== backslash) {
      code = this.#text.charCodeAt(++at);
    }
    if (code !== quote) return this.#carefulString(start);
    this.#at = at + 1;
    return this.#text.slice(start, at);
  }

  /** Two escapes that form a surrogate pair become one character; a lone one is kept. */
  #carefulString(start: number): string {
    this.#at = start;
    for (let text = ""; ; ) {
      text += this.#match(plain)?.[0] ?? "";
      const next = this.#text[this.#at];
      if (next === '"') {
        this.#at++;
        return text;
      }
      if (next === undefined) throw this.#error('expected " to end the string');
      if (next < " ") throw this.#error("expected no control character in a string");
      if (next === "\\") {
        const [, letter, unit] = this.#match(escaped) ?? [];
        if (unit !== undefined) text += String.fromCharCode(Number.parseInt(unit, 16));
        else if (letter !== undefined) text += escapes[letter] ?? letter;
        else if (this.#text[this.#at + 1] === "u") {
          throw this.#error("expected four hexadecimal digits after \\u");
        } else throw this.#error("expected one of the escapes of JSON");
      } else {
        const character = this.#match(utf8)?.[0];
        if (character === undefined) throw this.#error("expected UTF-8");
        text += decodeURIComponent(character.replace(/./gs, percentEncoded));
      }
    }
  }

  #skipBlanks(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (code > 0x20 && code < 0x80) return;
    while (this.#match(blanks) !== null);
  }

  /** The token at the present position, which is passed. */
  #match(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text);
    if (found !== null) this.#at = token.lastIndex;
    return found;
  }

  #error(what: string, at = this.#at): Error {
    return syntaxError(this.#text, at, what, this.#subject);
  }
}

const percentEncoded = (byte: string): string => `%${byte.charCodeAt(0).toString(16)}`;
