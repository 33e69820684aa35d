/**
 * Reads records out of a JSON text: one pass from bytes to numbers, as WebAssembly.
 *
 * A program that answers one message ends before its loops over bytes are compiled; these are
 * compiled beforehand. The language is AssemblyScript; `build.js` turns this file into
 * `../src/json/record-scan-code.ts`, and `../src/json/record-scan.ts` tells how it is used.
 *
 * What is wanted is told by a shape, an example in JSON: `{"memory":0,"tags":[""],"group?":""}`. What
 * is found is left in memory as words (32-bit integers). A record is a row of words:
 *
 * | word | content |
 * |---|---|
 * | 0 | the row of the next record of the same list or table; 0 behind the last |
 * | 1 | in a table: the string that is its key |
 * | 2 … | the values, in the order of the shape |
 *
 * | in the shape | in the text | its word |
 * |---|---|---|
 * | `0` | integer of up to 9 digits | its value |
 * | `true` | boolean | 1 or 0 |
 * | `""` | string | its number: equal strings have equal numbers, from 0 on |
 * | `[""]` | list of strings | where their count stands, followed by the strings |
 * | `{…}` | object | its row |
 * | `[{…}]` | list of objects | the row of the first; 0 if there is none |
 * | `{"":{…}}` | table: object of any keys | where three words stand: the offsets in the text at which it begins and ends, the row of the first |
 *
 * A key that ends in `?` may be null (word: -2^31 + 1) or missing (-2^31). Keys that no shape has are
 * skipped. Whatever is not as the shape says, or not plain JSON, or a string with an escape or beyond
 * ASCII, or a repeated key of the shape, ends the scan without a result.
 */

const blank: u32 = 0x20;
const quote: u32 = 0x22;
const comma: u32 = 0x2c;
const minus: u32 = 0x2d;
const point: u32 = 0x2e;
const zero: u32 = 0x30;
const colon: u32 = 0x3a;
const question: u32 = 0x3f;
const openBracket: u32 = 0x5b;
const backslash: u32 = 0x5c;
const closeBracket: u32 = 0x5d;
const letterE: u32 = 0x65;
const letterT: u32 = 0x74;
const openBrace: u32 = 0x7b;
const closeBrace: u32 = 0x7d;

// The four bytes of `true`, `null` and `fals`, as one number.
const wordTrue: u32 = 0x65757274;
const wordNull: u32 = 0x6c6c756e;
const wordFals: u32 = 0x736c6166;

const missing: i32 = i32.MIN_VALUE;
const nothing: i32 = i32.MIN_VALUE + 1;

/** Objects and arrays inside each other. */
const depthMax: u32 = 64;

// What a value has to be.
const isInteger: u32 = 1;
const isBoolean: u32 = 2;
const isString: u32 = 3;
const isStrings: u32 = 4;
const isRecord: u32 = 5;
const isRecords: u32 = 6;
const isTable: u32 = 7;

/**
 * A shape in memory: by the number of a key 1 + the field it means (bytes), the number of fields, how
 * many of them are needed, and for each field what it has to be, of which shape, and whether it is
 * needed. All its keys are among the first 256 strings.
 *
 * Records resemble each other: where one of them has read a field, what stands between its value and
 * the next one (keys, punctuation, values that are skipped) is likely to be what stood there in the
 * record before. So each field, and the beginning of the record as field 0, remembers that gap: where
 * it began, how long it was, and the field whose value followed, 0 for the end of the record.
 */
const shapeFieldCount: usize = 256;
const shapeNeeded: usize = 260;
const shapeFields: usize = 264;
const fieldShape: usize = 4;
const fieldNeeded: usize = 8;
const gapBegin: usize = 12;
const gapLength: usize = 16;
const gapNext: usize = 20;
const fieldSize: usize = 24;
const shapeSize: usize = 1024;
const shapesSize: usize = 16 * shapeSize;

// Memory, in this order; all sizes follow from the length of the text, and none is used up in full.
let shapesEnd: usize = 0;
let shapeText: usize = 0;
let text: usize = 0;
let textEnd: usize = 0;
let wordsEnd: usize = 0;
let wordsLimit: usize = 0;
/** Open addressing: 1 + number of the string, 0 if free. */
let slots: usize = 0;
let slotMask: u32 = 0;
/** Where in `strings` each string ends; it begins where the one before ends. */
let ends: usize = 0;
let strings: usize = 0;
let stringsEnd: usize = 0;
let stringCount: u32 = 0;

/** The byte that is read next. Behind shape and text stand zeros, at which everything stops. */
let at: usize = 0;

/** By byte, whether it is a plain character of a string: ASCII, no control character, no escape. */
const plain = memory.data(256);

/** Makes room; gives where the shape is to be put. 0: there is not enough memory. */
export function reserve(shapeLength: u32, textLength: u32): usize {
  let slotCount: u32 = 1024;
  while (slotCount < textLength / 64) slotCount *= 2;
  slotMask = slotCount - 1;
  shapesEnd = aligned(__heap_base);
  shapeText = shapesEnd + shapesSize;
  text = aligned(shapeText + shapeLength);
  textEnd = text + textLength;
  wordsEnd = aligned(textEnd);
  wordsLimit = wordsEnd + aligned(textLength) + 65536;
  slots = wordsLimit;
  ends = slots + 4 * <usize>slotCount;
  strings = stringsEnd = ends + 2 * <usize>slotCount;
  const pages = (strings + shapeLength + textLength) / 65536 + 1;
  const missing = <i32>pages - memory.size();
  for (let byte: u32 = blank; byte < 0x7f; byte++) {
    store<u8>(plain + byte, byte !== quote && byte !== backslash);
  }
  return missing > 0 && memory.grow(missing) < 0 ? 0 : shapeText;
}

/** Where the text is to be put. */
export function textAt(): usize {
  return text;
}

/** Reads the text as an object of this shape: its row, in words; 0 if that is not what it is. */
export function scan(): usize {
  at = shapeText;
  const shape = readShape();
  at = text;
  space();
  const row = newRow(shape);
  if (!record(shape, row, 1)) return 0;
  space();
  return at === textEnd ? row >>> 2 : 0;
}

export function stringsAt(): usize {
  return strings;
}

export function endsAt(): usize {
  return ends;
}

export function countStrings(): u32 {
  return stringCount;
}

/** At least 8 zero bytes behind what ends at `position`, and divisible by 8. */
function aligned(position: usize): usize {
  return (position + 15) & ~7;
}

/** Written by `JSON.stringify`: well-formed, without blanks. */
function readShape(): usize {
  const shape = shapesEnd;
  shapesEnd += shapeSize;
  let field = shape + shapeFields;
  let fields: u32 = 0;
  at++;
  while (byteAt() !== closeBrace) {
    if (byteAt() === comma) at++;
    field += fieldSize;
    const needed = readShapeKey(shape, ++fields);
    if (needed) store<u32>(shape, load<u32>(shape, shapeNeeded) + 1, shapeNeeded);
    const kind = readKind();
    store<u32>(field, kind);
    store<u32>(field, <u32>readSubShape(kind), fieldShape);
    store<u32>(field, needed, fieldNeeded);
  }
  at++;
  store<u32>(shape, fields, shapeFieldCount);
  return shape;
}

/** Lets a key mean this field, counted from 1. Tells whether the key is needed. */
function readShapeKey(shape: usize, field: u32): bool {
  const begin = at;
  skipString();
  const end = at;
  const needed = load<u8>(end - 2) !== question;
  if (!needed) store<u8>(end - 2, quote);
  at = begin;
  store<u8>(shape + string(), field);
  at = end + 1;
  return needed;
}

/** Stops where the shape of records begins, if there are any. */
function readKind(): u32 {
  const first = byteAt();
  at++;
  if (first === zero) return isInteger;
  if (first === letterT) {
    at += 3;
    return isBoolean;
  }
  if (first === quote) {
    at++;
    return isString;
  }
  if (first === openBracket) {
    if (byteAt() === openBrace) return isRecords;
    at += 3;
    return isStrings;
  }
  if (byteAt() === quote && load<u8>(at, 1) === quote) {
    at += 3;
    return isTable;
  }
  at--;
  return isRecord;
}

function readSubShape(kind: u32): usize {
  if (kind < isRecord) return 0;
  const shape = readShape();
  if (kind !== isRecord) at++;
  return shape;
}

/** Room for a record of which nothing is known. The scan ends where it is too little. */
function newRow(shape: usize): usize {
  const row = wordsEnd;
  wordsEnd += 8 + 4 * <usize>load<u32>(shape, shapeFieldCount);
  store<i32>(row, 0);
  for (let word = row + 4; word < wordsEnd; word += 4) store<i32>(word, missing);
  return row;
}

/** Reads an object into its row. */
function record(shape: usize, row: usize, depth: u32): bool {
  if (byteAt() !== openBrace || wordsEnd > wordsLimit - 4096) return false;
  at++;
  let needed = load<u32>(shape, shapeNeeded);
  let field = shape + shapeFields;
  while (true) {
    const number = repeatsGap(field) ? load<u32>(field, gapNext) : newGap(shape, field, depth);
    if (number <= 0) return number === 0 && needed === 0;
    const word = row + 4 + 4 * number;
    field = shape + shapeFields + fieldSize * number;
    if (load<i32>(word) !== missing || !value(field, word, depth)) return false;
    needed -= load<u32>(field, fieldNeeded);
  }
}

/** Passes what stands behind this field, if it is the same as last time. */
function repeatsGap(field: usize): bool {
  const begin: usize = load<u32>(field, gapBegin);
  const length: usize = load<u32>(field, gapLength);
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) {
    if (load<u64>(begin + i) !== load<u64>(at + i)) return false;
  }
  for (; i < length; i++) {
    if (load<u8>(begin + i) !== load<u8>(at + i)) return false;
  }
  at += length;
  return length > 0;
}

/** Passes and remembers what stands behind this field; gives the number of the next, -1 if it is unusual. */
function newGap(shape: usize, field: usize, depth: u32): i32 {
  const begin = at;
  const number = passGap(shape, field === shape + shapeFields, depth);
  store<u32>(field, begin, gapBegin);
  store<u32>(field, at - begin, gapLength);
  store<u32>(field, number, gapNext);
  return number;
}

function passGap(shape: usize, opening: bool, depth: u32): i32 {
  let first = opening;
  while (true) {
    space();
    if (byteAt() === closeBrace) {
      at++;
      return 0;
    }
    if (!first && !afterComma()) return -1;
    first = false;
    const key = string();
    if (key < 0 || !afterKey()) return -1;
    const number = key < 256 ? load<u8>(shape + key) : 0;
    if (number > 0) return number;
    if (!skip(depth)) return -1;
  }
}

/** Reads a value of the kind that `field` tells into `word`. */
function value(field: usize, word: usize, depth: u32): bool {
  if (load<u32>(at) === wordNull) {
    at += 4;
    store<i32>(word, nothing);
    return load<u32>(field, fieldNeeded) === 0;
  }
  switch (load<u32>(field)) {
    case isInteger:
      return integer(word);
    case isBoolean:
      return boolean(word);
    case isString: {
      const number = string();
      store<i32>(word, number);
      return number >= 0;
    }
    case isStrings:
      return stringList(word);
    case isRecord: {
      const shape = load<u32>(field, fieldShape);
      const row = newRow(shape);
      store<i32>(word, row >>> 2);
      return record(shape, row, depth + 1);
    }
    case isRecords:
      return recordList(load<u32>(field, fieldShape), word, depth + 1);
    default:
      return table(load<u32>(field, fieldShape), word, depth + 1);
  }
}

function integer(word: usize): bool {
  const negative = byteAt() === minus;
  if (negative) at++;
  const first = at;
  let sum: i32 = 0;
  let digit = byteAt() - zero;
  while (digit < 10) {
    sum = sum * 10 + digit;
    at++;
    digit = byteAt() - zero;
  }
  const count = at - first;
  if (count === 0 || count > 9 || byteAt() === point || (byteAt() | 0x20) === letterE) return false;
  // No leading zeros, and no -0.
  if (load<u8>(first) === zero && (count > 1 || negative)) return false;
  store<i32>(word, negative ? -sum : sum);
  return true;
}

function boolean(word: usize): bool {
  const isTrue = byteAt() === letterT;
  store<i32>(word, isTrue ? 1 : 0);
  return literal();
}

/** Passes `true`, `false` or `null`. */
function literal(): bool {
  const four = load<u32>(at);
  at += 4;
  if (four === wordTrue || four === wordNull) return true;
  return four === wordFals && byteAt() === letterE && passed();
}

function stringList(word: usize): bool {
  if (byteAt() !== openBracket) return false;
  at++;
  space();
  const list = wordsEnd;
  store<i32>(word, list >>> 2);
  wordsEnd += 4;
  while (byteAt() !== closeBracket) {
    if (wordsEnd > list + 4 && !afterComma()) return false;
    const number = string();
    if (number < 0 || wordsEnd > wordsLimit - 4096) return false;
    store<i32>(wordsEnd, number);
    wordsEnd += 4;
    space();
  }
  store<i32>(list, ((wordsEnd - list) >>> 2) - 1);
  return passed();
}

function recordList(shape: usize, word: usize, depth: u32): bool {
  if (byteAt() !== openBracket) return false;
  at++;
  space();
  store<i32>(word, 0);
  let link = word;
  while (byteAt() !== closeBracket) {
    if (link !== word && !afterComma()) return false;
    const row = newRow(shape);
    store<i32>(link, row >>> 2);
    link = row;
    if (!record(shape, row, depth + 1)) return false;
    space();
  }
  return passed();
}

function table(shape: usize, word: usize, depth: u32): bool {
  if (byteAt() !== openBrace) return false;
  const extent = wordsEnd;
  const first = extent + 8;
  wordsEnd += 12;
  store<i32>(word, extent >>> 2);
  store<i32>(extent, at - text);
  store<i32>(first, 0);
  at++;
  space();
  let link = first;
  while (byteAt() !== closeBrace) {
    if (link !== first && !afterComma()) return false;
    const row = newRow(shape);
    store<i32>(link, row >>> 2);
    link = row;
    const key = string();
    if (key < 0 || !afterKey()) return false;
    store<i32>(row, key, 4);
    if (!record(shape, row, depth + 1)) return false;
    space();
  }
  at++;
  store<i32>(extent, at - text, 4);
  return true;
}

/** Passes any value inside of `depth` objects and arrays. */
function skip(depth: u32): bool {
  const first = byteAt();
  if (first === quote) return skipString();
  if (first === openBrace || first === openBracket) return skipContent(first, depth + 1);
  return first === minus || first - zero < 10 ? skipNumber() : literal();
}

function skipContent(open: u32, depth: u32): bool {
  if (depth > depthMax) return false;
  const close = open + 2;
  at++;
  space();
  if (byteAt() === close) return passed();
  while (true) {
    if (open === openBrace && !(skipString() && afterKey())) return false;
    if (!skip(depth)) return false;
    space();
    if (byteAt() === close) return passed();
    if (!afterComma()) return false;
  }
}

function skipString(): bool {
  if (byteAt() !== quote) return false;
  let position = at + 1;
  while (load<u8>(plain + load<u8>(position))) position++;
  at = position + 1;
  return load<u8>(position) === quote;
}

function skipNumber(): bool {
  if (byteAt() === minus) at++;
  const leading = byteAt() === zero;
  const count = skipDigits();
  if (count === 0 || (leading && count > 1)) return false;
  if (byteAt() === point) {
    at++;
    if (skipDigits() === 0) return false;
  }
  if ((byteAt() | 0x20) !== letterE) return true;
  at++;
  if (byteAt() === minus || byteAt() === 0x2b) at++;
  return skipDigits() > 0;
}

function skipDigits(): usize {
  const first = at;
  while (byteAt() - zero < 10) at++;
  return at - first;
}

/** Passes a string and gives its number; -1 if it is not a plain one. */
function string(): i32 {
  if (byteAt() !== quote) return -1;
  const first = at + 1;
  let position = first;
  let hash: u32 = 0x811c9dc5; // FNV-1a
  let byte: u32 = load<u8>(position);
  while (load<u8>(plain + byte)) {
    hash = (hash ^ byte) * 0x01000193;
    byte = load<u8>(++position);
  }
  at = position + 1;
  return byte === quote ? numberOf(first, position - first, hash ^ (hash >>> 15)) : -1;
}

/** The number of the string of `length` bytes from `first` on, which gets one if it is new. */
function numberOf(first: usize, length: usize, hash: u32): i32 {
  let slot = hash & slotMask;
  while (true) {
    const held = load<u32>(slots + 4 * <usize>slot);
    if (held === 0) return newNumber(first, length, slot);
    if (isSame(held - 1, first, length)) return held - 1;
    slot = (slot + 1) & slotMask;
  }
}

function isSame(number: u32, first: usize, length: usize): bool {
  const begin: usize = number === 0 ? 0 : endOf(number - 1);
  if (endOf(number) - begin !== length) return false;
  const held = strings + begin;
  for (let i: usize = 0; i < length; i++) {
    if (load<u8>(held + i) !== load<u8>(first + i)) return false;
  }
  return true;
}

function endOf(number: u32): usize {
  return load<u32>(ends + 4 * <usize>number);
}

/** -1 if half of the slots are taken. */
function newNumber(first: usize, length: usize, slot: u32): i32 {
  if (stringCount > slotMask / 2) return -1;
  for (let i: usize = 0; i < length; i++) store<u8>(stringsEnd + i, load<u8>(first + i));
  stringsEnd += length;
  store<u32>(ends + 4 * <usize>stringCount, <u32>(stringsEnd - strings));
  store<u32>(slots + 4 * <usize>slot, stringCount + 1);
  stringCount++;
  return stringCount - 1;
}

function afterKey(): bool {
  space();
  if (byteAt() !== colon) return false;
  at++;
  space();
  return true;
}

function afterComma(): bool {
  if (byteAt() !== comma) return false;
  at++;
  space();
  return true;
}

function space(): void {
  while (byteAt() === blank || (byteAt() >= 0x09 && byteAt() <= 0x0d)) at++;
}

/** Passes one byte, of which the caller knows what it is. */
function passed(): bool {
  at++;
  return true;
}

function byteAt(): u32 {
  return load<u8>(at);
}
