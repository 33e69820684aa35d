/** Messages cut out of a stream of bytes: each ends with a byte 3, which JSON text never contains. */

/** Ends every message. */
export const luxiEnd = 3;

/**
 * Collects the pieces of a stream. Each byte is examined once and copied at most once, so the cost is
 * the length of the stream however it is cut.
 */
export class FrameReader {
  readonly #bytesMax: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  /** @param bytesMax longest message, without its end byte */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes of a message that has not ended yet. */
  get pendingBytes(): number {
    return this.#length;
  }

  /**
   * The messages that end within `chunk`, in order, without their end bytes. Ends with `undefined` as
   * soon as a message is longer than the limit: the rest of such a stream cannot be read.
   */
  *take(chunk: Uint8Array): Generator<Uint8Array | undefined, void> {
    for (let from = 0; ; ) {
      const end = chunk.indexOf(luxiEnd, from);
      const part = chunk.subarray(from, end < 0 ? undefined : end);
      this.#length += part.length;
      if (this.#length > this.#bytesMax) {
        yield undefined;
        return;
      }
      this.#parts.push(part);
      if (end < 0) return;
      const message = this.#parts.length > 1 ? Buffer.concat(this.#parts) : part;
      this.#parts = [];
      this.#length = 0;
      yield message;
      from = end + 1;
    }
  }
}
