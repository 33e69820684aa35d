/** Parts of a list that is still being rendered, for any number of readers. */

/** Each reader goes at its own pace; the parts are shared and never copied. */
export class GrowingParts implements AsyncIterable<Uint8Array> {
  readonly #parts: Uint8Array[] = [];
  #isWhole = false;
  #failure: { readonly error: unknown } | undefined;
  /** Wakes all waiting readers. */
  #wake: () => void = () => {};
  #news: Promise<void> | undefined;

  /** Resolves when all parts are there. @throws the error of `fail` */
  readonly whole: Promise<readonly Uint8Array[]>;
  #resolve: (parts: readonly Uint8Array[]) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor() {
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

  /** Readers fail after the parts that are there. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#tell();
    this.#reject(error);
  }

  /** All parts, if they are there. */
  get parts(): readonly Uint8Array[] | undefined {
    return this.#isWhole ? this.#parts : undefined;
  }

  /** From the first part; ends with the last one. @throws the error of `fail` */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (let next = 0; ; ) {
      const part = this.#parts[next];
      if (part !== undefined) {
        next++;
        yield part;
      } else if (this.#failure !== undefined) throw this.#failure.error;
      else if (this.#isWhole) return;
      else await this.#more();
    }
  }

  /** One promise for all readers. */
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
