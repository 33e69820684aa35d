/**
 * Columns of a table: the values of one key in all its records, as a list.
 *
 * A list is identified by the word with its count, which the values follow; 0 if there is no space.
 * A record is identified by the first word of its row (`record-scan.ts`).
 */
import { isShort, newList, newWords } from "./words";

/** Codes of a missing value, and of one without a translation. */
const absent: i32 = -1;
const unknown: i32 = -2;

/** The words at `column` of the record `first` and all following records. */
export function column(first: u32, column: u32): usize {
  return listOf(first, column, whole);
}

/**
 * The strings at `position`, from 0, of the lists of strings at `column`; -1 for shorter lists.
 */
export function columnOfItems(first: u32, column: u32, position: u32): usize {
  return listOf(first, column, position);
}

/** The words at `inner` of all records of the lists of records at `column`. */
export function columnOfRecords(first: u32, column: u32, inner: u32): usize {
  let total: u32 = 0;
  for (let row = first; row > 0; row = word(row)) {
    for (let record = word(row + column); record > 0; record = word(record)) total++;
  }
  const list = newList(total);
  if (list === 0) return 0;
  let at = list + 4;
  for (let row = first; row > 0; row = word(row)) {
    for (let record = word(row + column); record > 0; record = word(record)) {
      store<u32>(at, word(record + inner));
      at += 4;
    }
  }
  return list >>> 2;
}

/** The distinct values of a list, at most 64. 0: there are more. */
export function distinct(list: u32): usize {
  const found = newList(64);
  if (found === 0) return 0;
  let different: u32 = 0;
  for (let i: u32 = 1; i <= word(list); i++) {
    const value = word(list + i);
    let known: u32 = 0;
    while (known < different && load<u32>(found + 4 * <usize>known, 4) !== value) known++;
    if (known < different) continue;
    if (different === 64) return 0;
    different++;
    store<u32>(found + 4 * <usize>different, value);
  }
  store<u32>(found, different);
  return found >>> 2;
}

/** A list of `count` translations, by number of the string, initially unknown. */
export function newTranslations(count: u32): usize {
  const list = newList(count);
  for (let i: u32 = 1; list > 0 && i <= count; i++) store<i32>(list + 4 * <usize>i, unknown);
  return list >>> 2;
}

/** Replaces each value by its translation; -1 for missing values, -2 for unknown translations. */
export function translate(list: u32, translations: u32): void {
  for (let i: u32 = 1; i <= word(list); i++) {
    const value = <i32>word(list + i);
    store<i32>(4 * <usize>(list + i), value < 0 ? absent : <i32>word(translations + 1 + value));
  }
}

const whole: i32 = -1;

/** @param position in the lists if the values are lists, or `whole` */
function listOf(first: u32, column: u32, position: i32): usize {
  const list = newList(0);
  if (list === 0) return 0;
  let length: u32 = 0;
  for (let row = first; row > 0; row = word(row)) {
    const value = <i32>word(row + column);
    if (isShort()) return 0;
    store<i32>(newWords(1), position === whole ? value : itemOf(value, position));
    length++;
  }
  store<u32>(list, length);
  return list >>> 2;
}

function itemOf(list: i32, position: u32): i32 {
  const length: u32 = list < 0 ? 0 : word(list);
  return position < length ? <i32>word(list + 1 + position) : absent;
}

function word(at: u32): u32 {
  return load<u32>(4 * <usize>at);
}
