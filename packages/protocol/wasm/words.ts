/**
 * What is found, in words: 32-bit integers, one behind the other. Words are told by their number,
 * counted from the beginning of the memory.
 */

// Offsets in bytes.
let end: usize = 0;
let limit: usize = 0;

/** Uses the memory from `begin` on. Gives its end. */
export function reserveWords(begin: usize, size: usize): usize {
  end = begin;
  limit = begin + size;
  return limit;
}

/** Where the next words are put, in bytes. */
export function wordsEnd(): usize {
  return end;
}

/** Takes the next words, of unknown content; gives where they begin, in bytes. */
export function newWords(count: u32): usize {
  const begin = end;
  end += 4 * <usize>count;
  return begin;
}

/** Whether too little room is left for a record. */
export function isShort(): bool {
  return end > limit - 4096;
}

/** A list in words: where its count stands, followed by so many words of unknown content. 0: no room. */
export function newList(count: u32): usize {
  if (end + 4 * <usize>count > limit - 4096) return 0;
  const list = newWords(count + 1);
  store<u32>(list, count);
  return list;
}
