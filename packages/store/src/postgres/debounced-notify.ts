/** Debounced NOTIFY: sends only the latest payload, 50 ms later, for news that is not urgent. */

const delayMs = 50;

export class DebouncedNotify {
  readonly #send: (payload: string) => Promise<unknown>;
  #payload = "";
  #timer: NodeJS.Timeout | undefined;

  /** `send` may fail: other workers find the change by polling. */
  constructor(send: (payload: string) => Promise<unknown>) {
    this.#send = send;
  }

  sendSoon(payload: string): void {
    this.#payload = payload;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#send(this.#payload).catch(() => undefined);
    }, delayMs);
    this.#timer.unref();
  }

  /** The payload has been sent, or is no longer needed. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
