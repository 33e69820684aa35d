/** Parts of a list that is still being rendered, for any number of readers. */

/** Each reader goes at its own pace; the parts are shared and never copied. When all readers have left, the list is abandoned. */
export class GrowingParts implements AsyncIterable<Uint8Array> {
  readonly #parts: Uint8Array[] = [];
  #isWhole = false;
  #failure: { readonly error: unknown } | undefined;
  /** Wakes all waiting readers. */
  #wake: () => void = () => {};
  #news: Promise<void> | undefined;

  /** Resolves with all parts when the list is complete. @throws the error of `fail` */
  readonly whole: Promise<readonly Uint8Array[]>;
  #resolve: (parts: readonly Uint8Array[]) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  /** Number of readers that have not ended. */
  #readerCount = 0;
  readonly #abandon: () => void;

  /** @param abandon called when the last reader leaves before the list is complete; a list that never had a reader goes on */
  constructor(abandon: () => void = () => {}) {
    this.#abandon = abandon;
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Readers get the error as well.
    this.whole.catch(() => {});
  }

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#tell();
  }

  end(): void {
    this.#isWhole = true;
    this.#tell();
    this.#resolve(this.#parts);
  }

  /** Makes readers fail after the existing parts. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#tell();
    this.#reject(error);
  }

  /** Like `whole`, but counts as a reader, so that the list is completed even if all others leave. */
  untilWhole(): Promise<readonly Uint8Array[]> {
    this.#readerCount++;
    return this.whole;
  }

  /** All parts; undefined while the list is incomplete. */
  get parts(): readonly Uint8Array[] | undefined {
    return this.#isWhole ? this.#parts : undefined;
  }

  /** Iterates over all parts, from the first one. Counts as a reader from now on. @throws the error of `fail` */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, void> {
    this.#readerCount++;
    let next = 0;
    let isOver = false;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      this.#readerCount--;
    };
    const read = async (): Promise<IteratorResult<Uint8Array, void>> => {
      while (!isOver) {
        const part = this.#parts[next];
        if (part !== undefined) {
          next++;
          return { done: false, value: part };
        }
        if (this.#isWhole || this.#failure !== undefined) leave();
        if (this.#failure !== undefined) throw this.#failure.error;
        if (!this.#isWhole) await this.#more();
      }
      return { done: true, value: undefined };
    };
    return {
      next: read,
      return: async () => {
        leave();
        this.#abandonUnread();
        return { done: true, value: undefined };
      },
    };
  }

  /** Abandons the list in a later round of the event loop, because a request that has found it may be about to read it. */
  #abandonUnread(): void {
    const isUnread = () => this.#readerCount === 0 && !this.#isWhole && this.#failure === undefined;
    if (isUnread()) setImmediate(() => void (isUnread() && this.#abandon()));
  }

  /** The next change, as one promise for all readers. */
  #more(): Promise<void> {
    this.#news ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.#news;
  }

  #tell(): void {
    this.#news = undefined;
    this.#wake();
  }
}
