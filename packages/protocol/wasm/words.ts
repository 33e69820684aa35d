/**
 * Result of a scan, in words: contiguous 32-bit integers. A word is identified by its number, counted from
 * the start of the memory.
 */

// Offsets in bytes.
let end: usize = 0;
let limit: usize = 0;

/** Uses the memory from `begin`. Returns its end. */
export function reserveWords(begin: usize, size: usize): usize {
  end = begin;
  limit = begin + size;
  return limit;
}

/** Address of the next words, in bytes. */
export function wordsEnd(): usize {
  return end;
}

/** Allocates the next words, uninitialised; returns their address, in bytes. */
export function newWords(count: u32): usize {
  const begin = end;
  end += 4 * <usize>count;
  return begin;
}

/** Whether too little space is left for a record. */
export function isShort(): bool {
  return end > limit - 4096;
}

/** Allocates a list: returns the word with its count, followed by that many uninitialised words. 0: no space. */
export function newList(count: u32): usize {
  if (end + 4 * <usize>count > limit - 4096) return 0;
  const list = newWords(count + 1);
  store<u32>(list, count);
  return list;
}
