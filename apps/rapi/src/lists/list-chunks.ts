/**
 * Lists as cached chunks of UTF-8 text, each of some neighbouring items: a changed item rewrites
 * one chunk.
 */

/** An item as it is now: two sights of an item with equal parts have the same text. */
export interface ItemSight {
  /** Sources of the text that do not depend on live data; compared by identity. */
  readonly fixed: object;
  /** In the order of their places in the text. */
  readonly live: readonly unknown[];
}

interface Chunk {
  readonly sights: readonly ItemSight[];
  /** With a comma before every item. */
  readonly bytes: Uint8Array;
}

/**
 * Maximum number of items of a chunk; a chunk usually ends at an item whose key says so, one in
 * about 64.
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
  /** Keeps the chunks for the next list; to be called after the last block. */
  end(): void;
}

/** Chunks of one list. Cost of a list: looking at every item, and writing the chunks with changes. */
export class ListChunks {
  /** By the key of their first items: what comes and goes before them does not matter. */
  #kept: ReadonlyMap<string, Chunk> = new Map();

  /** Passes may overlap: each begins with the chunks of the last one that has ended. */
  pass(): ChunksPass {
    const kept = this.#kept;
    const used = new Map<string, Chunk>();
    return {
      chunk: (key, sights, write) => {
        const known = kept.get(key);
        const chunk =
          known !== undefined && sameSights(known.sights, sights)
            ? known
            : { sights, bytes: bytesOf(sights.map((one) => `,${write(one)}`).join("")) };
        used.set(key, chunk);
        return chunk.bytes;
      },
      end: () => {
        this.#kept = used;
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

function sameSights(known: readonly ItemSight[], sights: readonly ItemSight[]): boolean {
  if (known.length !== sights.length) return false;
  for (let i = 0; i < sights.length; i++) {
    const a = known[i] as ItemSight;
    const b = sights[i] as ItemSight;
    if (a === b) continue;
    if (a.fixed !== b.fixed) return false;
    for (let j = 0; j < b.live.length; j++) if (a.live[j] !== b.live[j]) return false;
  }
  return true;
}

const encoder = new TextEncoder();
export const bytesOf = (text: string): Uint8Array => encoder.encode(text);
