/**
 * Numbers for strings: equal ones get equal numbers, counted from 0. Their characters are stored contiguously.
 */
import { byteAt, moveTo, position, quote, specialBytes } from "./text";

/** Open addressing: 1 + number of the string, 0 if free. */
let slots: usize = 0;
let slotMask: u32 = 0;
/** End of each string in `characters`; it begins at the end of the previous one. */
let ends: usize = 0;
let characters: usize = 0;
let charactersEnd: usize = 0;
let count: u32 = 0;

/** Uses the zeroed memory from `begin` for strings of at most this many bytes. Returns its end. */
export function reserveStrings(begin: usize, length: u32): usize {
  let slotCount: u32 = 1024;
  while (slotCount < length / 64) slotCount *= 2;
  slotMask = slotCount - 1;
  slots = begin;
  ends = slots + 4 * <usize>slotCount;
  characters = charactersEnd = ends + 2 * <usize>slotCount;
  // Characters are copied eight at a time.
  return characters + length + 8;
}

export function stringsAt(): usize {
  return characters;
}

export function endsAt(): usize {
  return ends;
}

export function countStrings(): u32 {
  return count;
}

/** Skips a string and returns its number; -1 if it is not plain. */
export function string(): i32 {
  if (byteAt() !== quote) return -1;
  const first = position() + 1;
  let end = first;
  let hash: u64 = 0;
  let eight = load<u64>(end);
  let special = specialBytes(eight);
  while (special === 0) {
    hash = mixed(hash, eight);
    end += 8;
    eight = load<u64>(end);
    special = specialBytes(eight);
  }
  const rest = ctz(special) >>> 3;
  end += <usize>rest;
  hash = mixed(hash, firstBytes(eight, rest));
  moveTo(end + 1);
  return load<u8>(end) === quote ? numberOf(first, end - first, <u32>(hash >>> 32)) : -1;
}

/** 2^64 divided by the golden ratio, made odd; in two halves, as no number of JavaScript has so many digits. */
const multiplier: u64 = ((<u64>0x9e3779b9) << 32) + 0x7f4a7c15;

function mixed(hash: u64, eight: u64): u64 {
  const product = (hash ^ eight) * multiplier;
  return product ^ (product >>> 32);
}

/** The others as 0. `count` is less than 8. */
function firstBytes(eight: u64, count: u64): u64 {
  return eight & (((<u64>1) << (8 * count)) - 1);
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
  const held = characters + begin;
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) {
    if (load<u64>(held + i) !== load<u64>(first + i)) return false;
  }
  return firstBytes(load<u64>(held + i) ^ load<u64>(first + i), <u64>(length - i)) === 0;
}

function endOf(number: u32): usize {
  return load<u32>(ends + 4 * <usize>number);
}

/** -1 if half of the slots are taken. */
function newNumber(first: usize, length: usize, slot: u32): i32 {
  if (count > slotMask / 2) return -1;
  for (let i: usize = 0; i < length; i += 8) store<u64>(charactersEnd + i, load<u64>(first + i));
  charactersEnd += length;
  store<u32>(ends + 4 * <usize>count, <u32>(charactersEnd - characters));
  store<u32>(slots + 4 * <usize>slot, count + 1);
  count++;
  return count - 1;
}
