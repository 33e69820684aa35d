/**
 * Lists as cached chunks of UTF-8 text, each of some neighbouring items: a changed item rewrites
 * one chunk.
 */

/** State of an item at one time: two sights of an item with equal parts have the same text. */
export interface ItemSight {
  /** Sources of the text that do not depend on live data; compared by identity. */
  readonly fixed: object;
  /** Live values, in the order of their places in the text. */
  readonly live: readonly unknown[];
}

interface Chunk {
  readonly sights: readonly ItemSight[];
  /** Texts of the items, each after a comma. */
  readonly bytes: Uint8Array;
  /** End of each item in the bytes. */
  readonly ends: Uint32Array;
}

/**
 * Maximum number of items of a chunk; a chunk usually ends earlier, at an item whose key decides so, about one
 * in 64.
 */
const itemsMax = 256;

/** Places of neighbouring items: from `start` up to, not including, `end`. */
export interface Block {
  readonly start: number;
  readonly end: number;
}

interface Keyed {
  readonly uuid: string;
}

/** One rendering of a list, block by block. */
export interface ChunksPass {
  /** The text of a block as UTF-8, with a comma before every item. */
  chunk(
    /** Key of its first item. */
    key: string,
    sights: readonly ItemSight[],
    write: (sight: ItemSight) => string,
  ): Uint8Array;
  /** Keeps the chunks for the next list; for blocks that were not rendered, the earlier ones. */
  end(isWhole: boolean): void;
}

/** Chunks of one list. Cost of a list: a comparison for every item, and writing the chunks with changes. */
export class ListChunks {
  /** By the key of their first items, so that insertions and removals before them do not matter. */
  #kept: ReadonlyMap<string, Chunk> = new Map();

  /**
   * Passes may overlap: each begins with the chunks of the last ended one. A pass that ends early adds its chunks to those
   * that it began with.
   */
  pass(): ChunksPass {
    const kept = this.#kept;
    const used = new Map<string, Chunk>();
    return {
      chunk: (key, sights, write) => {
        const known = kept.get(key);
        const chunk =
          known !== undefined && sameSights(known.sights, sights)
            ? known
            : written(sights, write, known);
        used.set(key, chunk);
        return chunk.bytes;
      },
      end: (isWhole) => {
        if (isWhole) this.#kept = used;
        else if (this.#kept === kept) this.#kept = new Map([...kept, ...used]);
      },
    };
  }
}

/**
 * Blocks of neighbouring items, the same for items that have not changed.
 * @param items keys are unique, and look random in their last two characters, as UUIDs do
 */
export function* blocksOf(items: readonly Keyed[]): Generator<Block> {
  for (let start = 0; start < items.length; ) {
    const end = endOfBlock(items, start);
    yield { start, end };
    start = end;
  }
}

function endOfBlock(items: readonly Keyed[], start: number): number {
  const last = Math.min(items.length, start + itemsMax) - 1;
  for (let at = start; at < last; at++) {
    const { uuid } = items[at] as Keyed;
    // The last character has 16 values, and the lowest two bits of the one before are used.
    const [a, b] = [uuid.charCodeAt(uuid.length - 1), uuid.charCodeAt(uuid.length - 2)];
    if (a === 0x30 && (b & 3) === 0) return at + 1;
  }
  return last + 1;
}

/** Writes a chunk; unchanged items are copied from the previous one. */
function written(
  sights: readonly ItemSight[],
  write: (sight: ItemSight) => string,
  before: Chunk | undefined,
): Chunk {
  const places = new Map(before?.sights.map((sight, at) => [sight, at]));
  if (!sights.some((sight) => places.has(sight))) return writtenNew(sights, write);
  const ends = new Uint32Array(sights.length);
  let end = 0;
  const parts = sights.map((sight, at) => {
    const place = places.get(sight);
    const part =
      before === undefined || place === undefined
        ? bytesOf(`,${write(sight)}`)
        : before.bytes.subarray(before.ends[place - 1] ?? 0, before.ends[place]);
    end += part.length;
    ends[at] = end;
    return part;
  });
  return { sights, bytes: Buffer.concat(parts, end), ends };
}

/** Encodes all items at once: copying the bytes of each item takes a tenth of the rendering. */
function writtenNew(sights: readonly ItemSight[], write: (sight: ItemSight) => string): Chunk {
  const texts = sights.map((sight) => `,${write(sight)}`);
  const bytes = bytesOf(texts.join(""));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  // If the whole text has as many bytes as characters, so does each item.
  const lengthOf = bytes.length === length ? ({ length }: string) => length : Buffer.byteLength;
  const ends = new Uint32Array(sights.length);
  let end = 0;
  for (const [at, text] of texts.entries()) ends[at] = end += lengthOf(text);
  return { sights, bytes, ends };
}

function sameSights(known: readonly ItemSight[], sights: readonly ItemSight[]): boolean {
  return known.length === sights.length && known.every((one, at) => sameSight(one, sights[at]));
}

function sameSight(a: ItemSight, b: ItemSight | undefined): boolean {
  if (a === b) return true;
  if (b === undefined || a.fixed !== b.fixed) return false;
  for (let at = 0; at < b.live.length; at++) if (a.live[at] !== b.live[at]) return false;
  return true;
}

const encoder = new TextEncoder();
export const bytesOf = (text: string): Uint8Array => encoder.encode(text);
