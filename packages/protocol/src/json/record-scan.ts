/**
 * Scanner for records of a known shape in a JSON text, in one pass without warm-up.
 *
 * The work is done by WebAssembly (`wasm/record-scan.ts` describes shapes and the memory layout of the
 * results). Anything unexpected is left to the complete scan (`scan.ts`).
 */
import { recordScanCode } from "./record-scan-code.js";

/** An example of the contents of a text; keys that end in `?` may be missing or null. */
export interface Shape {
  readonly [key: string]: 0 | true | "" | readonly [""] | Shape | readonly [Shape];
}

/** Result of a scan: rows of words, and numbered strings. */
export class Records {
  private readonly known: (string | undefined)[] = [];

  constructor(
    readonly words: Int32Array,
    /** Start of the outermost record's row. */
    readonly root: number,
    /** All strings, concatenated. */
    private readonly strings: string,
    /** The end of each string. */
    private readonly ends: Uint32Array,
    readonly tools: ColumnTools,
  ) {}

  get stringCount(): number {
    return this.ends.length;
  }

  /** The string with this number, the same object each time. */
  string(number: number): string {
    const known = this.known[number];
    if (known !== undefined) return known;
    const begin = number === 0 ? 0 : this.ends[number - 1];
    const text = this.strings.slice(begin, this.ends[number]);
    this.known[number] = text;
    return text;
  }
}

/**
 * Tools that extract columns of a table (`wasm/columns.ts`). `first` is the row of its first record; a list
 * is identified by the word with its count, 0 if there is no space for it.
 */
export interface ColumnTools {
  column(first: number, column: number): number;
  columnOfItems(first: number, column: number, position: number): number;
  columnOfRecords(first: number, column: number, inner: number): number;
  distinct(list: number): number;
  newTranslations(count: number): number;
  translate(list: number, translations: number): void;
}

/** The word of a row that contains the start of the next one, 0 for none. */
export const nextRow = 0;
/** The word of a table row that contains its key. */
export const rowKey = 1;

/** Smaller words are not values: the key is missing or holds null. */
export const lowestValue = -999_999_999;

type Plain<Key> = Key extends `${infer Name}?` ? Name : Key;

/** The words of a row that contain the values of a shape's keys. */
export function columnsOf<S extends Shape>(shape: S): Readonly<Record<Plain<keyof S>, number>> {
  const names = Object.keys(shape).map((key) => key.replace("?", ""));
  const columns = names.map((name, index) => [name, index + 2]);
  return Object.fromEntries(columns);
}

// Provided by Node and browsers, not by the language's standard library.
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => { encodeInto(text: string, bytes: Uint8Array): void };
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: object };
};

/** Byte offsets unless stated otherwise. */
interface Scanner extends ColumnTools {
  readonly memory: { readonly buffer: ArrayBuffer };
  reserve(shapeLength: number, textLength: number): number;
  textAt(): number;
  /** Returns a word. */
  scan(): number;
  stringsAt(): number;
  endsAt(): number;
  countStrings(): number;
}

/**
 * The result takes at most four times the size of the text, within the four GiB that WebAssembly can address.
 */
const sizeMax = 2 ** 29;

let compiled: object | undefined;

/** Undefined for texts not exactly of this shape, and without WebAssembly. */
export function scanRecords(bytes: Uint8Array, shape: Shape): Records | undefined {
  const scanner = bytes.length > sizeMax ? undefined : makeScanner();
  if (scanner === undefined) return undefined;
  const shapeText = JSON.stringify(shape);
  const shapeAt = scanner.reserve(shapeText.length, bytes.length);
  if (shapeAt === 0) return undefined;
  const { buffer } = scanner.memory;
  const memory = new Uint8Array(buffer);
  new TextEncoder().encodeInto(shapeText, memory.subarray(shapeAt));
  memory.set(bytes, scanner.textAt());
  const root = scanner.scan();
  if (root === 0) return undefined;
  const ends = new Uint32Array(buffer, scanner.endsAt(), scanner.countStrings());
  const strings = new Uint8Array(buffer, scanner.stringsAt(), ends[ends.length - 1]);
  const words = new Int32Array(buffer);
  return new Records(words, root, new TextDecoder().decode(strings), ends, scanner);
}

function makeScanner(): Scanner | undefined {
  try {
    compiled ??= new WebAssembly.Module(new Uint8Array(JSON.parse(recordScanCode)));
    return new WebAssembly.Instance(compiled).exports as Scanner;
  } catch {
    return undefined; // WebAssembly is disabled, or memory is exhausted
  }
}
