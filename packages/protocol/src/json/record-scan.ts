/**
 * Reading records of a known shape out of a JSON text, in one pass that needs no time to warm up.
 *
 * The work is done by WebAssembly (`wasm/record-scan.ts` says what a shape is, and how what was found
 * lies in memory). What is not plainly as expected is left to the scan that loses nothing (`scan.ts`).
 */
import { recordScanCode } from "./record-scan-code.js";

/** An example of what a text holds; keys that end in `?` may be missing or null. */
export interface Shape {
  readonly [key: string]: 0 | true | "" | readonly [""] | Shape | readonly [Shape];
}

/** What was read: rows of words, and numbered strings. */
export class Records {
  private readonly known: (string | undefined)[] = [];

  constructor(
    readonly words: Int32Array,
    /** Where the row of the outermost record begins. */
    readonly root: number,
    /** All strings, one behind the other. */
    private readonly strings: string,
    /** Where each of them ends. */
    private readonly ends: Uint32Array,
    readonly tools: ColumnTools,
  ) {}

  get stringCount(): number {
    return this.ends.length;
  }

  /** The string of this number, the same one each time. */
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
 * What makes columns of a table (`wasm/columns.ts`). `first` is the row of its first record; a list is
 * told by the word where its count stands, 0 if there is no room for it.
 */
export interface ColumnTools {
  column(first: number, column: number): number;
  columnOfItems(first: number, column: number, position: number): number;
  columnOfRecords(first: number, column: number, inner: number): number;
  distinct(list: number): number;
  newTranslations(count: number): number;
  translate(list: number, translations: number): void;
}

/** The word of a row that tells where the next one begins, 0 for nowhere. */
export const nextRow = 0;
/** The word of a row in a table that tells its key. */
export const rowKey = 1;

/** Nothing below this is a value: the key is missing or holds null. */
export const lowestValue = -999_999_999;

type Plain<Key> = Key extends `${infer Name}?` ? Name : Key;

/** The words of a row that hold the values of a shape's keys. */
export function columnsOf<S extends Shape>(shape: S): Readonly<Record<Plain<keyof S>, number>> {
  const names = Object.keys(shape).map((key) => key.replace("?", ""));
  const columns = names.map((name, index) => [name, index + 2]);
  return Object.fromEntries(columns);
}

// Part of Node and of browsers, not of the language's own library.
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => { encodeInto(text: string, bytes: Uint8Array): void };
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: object };
};

/** Byte offsets where nothing else is said. */
interface Scanner extends ColumnTools {
  readonly memory: { readonly buffer: ArrayBuffer };
  reserve(shapeLength: number, textLength: number): number;
  textAt(): number;
  /** A word. */
  scan(): number;
  stringsAt(): number;
  endsAt(): number;
  countStrings(): number;
}

/** What is read takes four times its size at most, of the four GiB that WebAssembly can address. */
const sizeMax = 2 ** 29;

let compiled: object | undefined;

/** Undefined for what is not plainly of this shape, and where there is no WebAssembly. */
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
    return undefined; // switched off, or out of memory
  }
}
