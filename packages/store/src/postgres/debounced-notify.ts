/** Tells others what they need not know at once: the last of it, a moment later. */

const delayMs = 50;

export class Herald {
  readonly #send: (payload: string) => Promise<unknown>;
  #payload = "";
  #timer: NodeJS.Timeout | undefined;

  /** `send` may fail: what is not told is found by polling. */
  constructor(send: (payload: string) => Promise<unknown>) {
    this.#send = send;
  }

  tellSoon(payload: string): void {
    this.#payload = payload;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#send(this.#payload).catch(() => undefined);
    }, delayMs);
    this.#timer.unref();
  }

  /** It has been told, or need not be. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
