/**
 * Scanner for records in JSON text: one pass from bytes to numbers, as WebAssembly.
 *
 * A program that answers one message ends before its JavaScript loops are optimised; these are compiled ahead of time. The language is AssemblyScript; `build.js` turns this folder into
 * `../src/json/record-scan-code.ts`, and `../src/json/record-scan.ts` uses it.
 *
 * The wanted keys are described by a shape, an example in JSON: `{"memory":0,"tags":[""],"group?":""}`. The result is stored in memory as words (32-bit integers). A record is a row of words:
 *
 * | word | content |
 * |---|---|
 * | 0 | the row of the next record of the same list or table; 0 after the last |
 * | 1 | in a table: the string that is its key |
 * | 2 … | the values, in the order of the shape |
 *
 * | in the shape | in the text | its word |
 * |---|---|---|
 * | `0` | integer of up to 9 digits | its value |
 * | `true` | boolean | 1 or 0 |
 * | `""` | string | its number: equal strings have equal numbers, from 0 on |
 * | `[""]` | list of strings | the word with their count, which the strings follow |
 * | `{…}` | object | its row |
 * | `[{…}]` | list of objects | the row of the first; 0 if there is none |
 * | `{"":{…}}` | table: object of any keys | the first of three words: the offsets in the text of its start and end, and the row of the first |
 *
 * A key that ends in `?` may be null (word: -2^31 + 1) or missing (-2^31). Keys outside the shape are skipped. Any deviation from the shape or from plain JSON, a string with an escape or beyond ASCII, or a repeated key of the shape ends the scan without a result.
 */

import {
  fieldNeeded,
  fieldShape,
  fieldSize,
  gapBegin,
  gapLength,
  gapNext,
  isBoolean,
  isInteger,
  isRecord,
  isRecords,
  isString,
  isStrings,
  readShape,
  reserveShapes,
  shapeFieldCount,
  shapeFields,
  shapeNeeded,
} from "./shape";
import { reserveStrings, string } from "./strings";
import {
  afterComma,
  afterKey,
  byteAt,
  closeBrace,
  closeBracket,
  integer,
  isNull,
  letterT,
  literal,
  moveTo,
  openBrace,
  openBracket,
  passed,
  position,
  skip,
  space,
} from "./text";
import { isShort, newWords, reserveWords, wordsEnd } from "./words";

export {
  column,
  columnOfItems,
  columnOfRecords,
  distinct,
  newTranslations,
  translate,
} from "./columns";
export { countStrings, endsAt, stringsAt } from "./strings";

const missing: i32 = i32.MIN_VALUE;
const nothing: i32 = i32.MIN_VALUE + 1;

// Memory, in this order, after the shapes; all sizes follow from the length of the text, and none is
// used up in full: shape, text, words, strings.
let shapeText: usize = 0;
let text: usize = 0;
let textEnd: usize = 0;

/** Reserves memory; returns the address for the shape. 0: there is not enough memory. */
export function reserve(shapeLength: u32, textLength: u32): usize {
  shapeText = reserveShapes(aligned(__heap_base));
  text = aligned(shapeText + shapeLength);
  textEnd = text + textLength;
  const words = reserveWords(aligned(textEnd), aligned(textLength) + 65536);
  const end = reserveStrings(words, shapeLength + textLength);
  const missing = <i32>(end / 65536 + 1) - memory.size();
  return missing > 0 && memory.grow(missing) < 0 ? 0 : shapeText;
}

/** Address for the text. */
export function textAt(): usize {
  return text;
}

/** Reads the text as an object of this shape: its row, in words; 0 if it is not of this shape. */
export function scan(): usize {
  moveTo(shapeText);
  const shape = readShape();
  moveTo(text);
  space();
  const row = newRow(shape);
  if (!record(shape, row, 1)) return 0;
  space();
  return position() === textEnd ? row >>> 2 : 0;
}

/** An address divisible by 8 with at least 8 zero bytes between `position` and it. */
function aligned(position: usize): usize {
  return (position + 15) & ~7;
}

/** Space for an empty record. The scan ends if it is too small. */
function newRow(shape: usize): usize {
  const row = newWords(2 + load<u32>(shape, shapeFieldCount));
  store<i32>(row, 0);
  for (let word = row + 4; word < wordsEnd(); word += 4) store<i32>(word, missing);
  return row;
}

/** Reads an object into its row. */
function record(shape: usize, row: usize, depth: u32): bool {
  if (byteAt() !== openBrace || isShort()) return false;
  passed();
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

/** Skips the text after this field, if it is the same as last time. */
function repeatsGap(field: usize): bool {
  const begin: usize = load<u32>(field, gapBegin);
  const length: usize = load<u32>(field, gapLength);
  const at = position();
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) {
    if (load<u64>(begin + i) !== load<u64>(at + i)) return false;
  }
  for (; i < length; i++) {
    if (load<u8>(begin + i) !== load<u8>(at + i)) return false;
  }
  moveTo(at + length);
  return length > 0;
}

/** Skips and remembers the text after this field; returns the number of the next field, -1 if it is unusual. */
function newGap(shape: usize, field: usize, depth: u32): i32 {
  const begin = position();
  const number = passGap(shape, field === shape + shapeFields, depth);
  store<u32>(field, begin, gapBegin);
  store<u32>(field, position() - begin, gapLength);
  store<u32>(field, number, gapNext);
  return number;
}

function passGap(shape: usize, opening: bool, depth: u32): i32 {
  let first = opening;
  while (true) {
    space();
    if (byteAt() === closeBrace) {
      passed();
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

/** Reads a value of the type of `field` into `word`. */
function value(field: usize, word: usize, depth: u32): bool {
  if (isNull()) {
    literal();
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

function boolean(word: usize): bool {
  const isTrue = byteAt() === letterT;
  store<i32>(word, isTrue ? 1 : 0);
  return literal();
}

function stringList(word: usize): bool {
  if (byteAt() !== openBracket) return false;
  passed();
  space();
  const list = newWords(1);
  store<i32>(word, list >>> 2);
  while (byteAt() !== closeBracket) {
    if (wordsEnd() > list + 4 && !afterComma()) return false;
    const number = string();
    if (number < 0 || isShort()) return false;
    store<i32>(newWords(1), number);
    space();
  }
  store<i32>(list, ((wordsEnd() - list) >>> 2) - 1);
  return passed();
}

function recordList(shape: usize, word: usize, depth: u32): bool {
  if (byteAt() !== openBracket) return false;
  passed();
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
  const extent = newWords(3);
  const first = extent + 8;
  store<i32>(word, extent >>> 2);
  store<i32>(extent, position() - text);
  store<i32>(first, 0);
  passed();
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
  passed();
  store<i32>(extent, position() - text, 4);
  return true;
}
