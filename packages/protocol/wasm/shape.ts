/** Shapes: descriptions of the wanted parts of a text, converted from JSON to tables. */
import { string } from "./strings";
import {
  byteAt,
  closeBrace,
  comma,
  letterT,
  moveTo,
  openBracket,
  position,
  question,
  quote,
  skipString,
  zero,
} from "./text";

// Types of values.
export const isInteger: u32 = 1;
export const isBoolean: u32 = 2;
export const isString: u32 = 3;
export const isStrings: u32 = 4;
export const isRecord: u32 = 5;
export const isRecords: u32 = 6;
export const isTable: u32 = 7;

/**
 * A shape in memory: by the number of a key 1 + its field (bytes), the number of fields, the number of
 * required ones, and for each field its type, its shape, and whether it is required. All its keys are among
 * the first 256 strings.
 *
 * Records resemble each other: where one of them has read a field, what stands between its value and the next
 * one (keys, punctuation, values that are skipped) is likely to be what stood there in the record before. So
 * each field, and the beginning of the record as field 0, remembers that gap: where it began, how long it
 * was, and the field whose value followed, 0 for the end of the record.
 */
export const shapeFieldCount: usize = 256;
export const shapeNeeded: usize = 260;
export const shapeFields: usize = 264;
export const fieldShape: usize = 4;
export const fieldNeeded: usize = 8;
export const gapBegin: usize = 12;
export const gapLength: usize = 16;
export const gapNext: usize = 20;
export const fieldSize: usize = 24;
const shapeSize: usize = 1024;

/** Two quotes. */
const emptyKey: u32 = 0x2222;

/** Address of the next shape. */
let shapesEnd: usize = 0;

export function reserveShapes(begin: usize): usize {
  shapesEnd = begin;
  return begin + 16 * shapeSize;
}

/** Written by `JSON.stringify`: well-formed, without blanks. */
export function readShape(): usize {
  const shape = shapesEnd;
  shapesEnd += shapeSize;
  let field = shape + shapeFields;
  let fields: u32 = 0;
  pass(1);
  while (byteAt() !== closeBrace) {
    if (byteAt() === comma) pass(1);
    field += fieldSize;
    const needed = readShapeKey(shape, ++fields);
    if (needed) store<u32>(shape, load<u32>(shape, shapeNeeded) + 1, shapeNeeded);
    const kind = readKind();
    store<u32>(field, kind);
    store<u32>(field, <u32>readSubShape(kind), fieldShape);
    store<u32>(field, needed, fieldNeeded);
  }
  pass(1);
  store<u32>(shape, fields, shapeFieldCount);
  return shape;
}

/** Maps a key to this field, counted from 1. Returns whether the key is required. */
function readShapeKey(shape: usize, field: u32): bool {
  const begin = position();
  skipString();
  const end = position();
  const needed = load<u8>(end - 2) !== question;
  if (!needed) store<u8>(end - 2, quote);
  moveTo(begin);
  store<u8>(shape + string(), field);
  moveTo(end + 1);
  return needed;
}

/** Stops at the start of the shape of records, if there is one. */
function readKind(): u32 {
  const first = byteAt();
  const second = load<u8>(position(), 1);
  if (first === zero) {
    pass(1);
    return isInteger;
  }
  if (first === letterT) {
    pass(4);
    return isBoolean;
  }
  if (first === quote) {
    pass(2);
    return isString;
  }
  if (first === openBracket && second === quote) {
    pass(4);
    return isStrings;
  }
  if (first === openBracket) {
    pass(1);
    return isRecords;
  }
  if (load<u16>(position(), 1) !== emptyKey) return isRecord;
  pass(4);
  return isTable;
}

function readSubShape(kind: u32): usize {
  if (kind < isRecord) return 0;
  const shape = readShape();
  if (kind !== isRecord) pass(1);
  return shape;
}

function pass(count: usize): void {
  moveTo(position() + count);
}
