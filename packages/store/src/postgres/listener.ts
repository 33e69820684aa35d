/** LISTEN on a separate connection, which is reopened when it breaks. */
import pg, { type ClientConfig } from "pg";

const retryMs = 1000;

/** Receives notifications of some channels; those missed while disconnected must be found by polling. */
export class Listener {
  readonly #config: ClientConfig;
  readonly #channels: readonly string[];
  readonly #tell: (channel: string, payload: string) => void;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isOver = false;

  /** `tell` is called for each notification, and with an empty payload after a new connection. */
  constructor(
    config: ClientConfig,
    channels: readonly string[],
    tell: (channel: string, payload: string) => void,
  ) {
    this.#config = config;
    this.#channels = channels;
    this.#tell = tell;
  }

  /** Connects; rejects if the first attempt fails. Later breaks are retried every second until `stop`. */
  async start(): Promise<void> {
    const client = new pg.Client(this.#config);
    this.#client = client;
    client.on("error", () => {});
    client.on("notification", ({ channel, payload = "" }) => this.#tell(channel, payload));
    // A failed attempt ends its client as well: only the caller retries, otherwise retries would double each
    // time.
    let isListening = false;
    let hasEnded = false;
    client.once("end", () => {
      hasEnded = true;
      if (isListening) this.#restart();
    });
    try {
      await client.connect();
      for (const channel of this.#channels) await client.query(`LISTEN ${channel}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    isListening = true;
    if (hasEnded) this.#restart();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  #restart(): void {
    if (this.#isOver) return;
    this.#retry = setTimeout(async () => {
      try {
        await this.start();
        for (const channel of this.#channels) this.#tell(channel, "");
      } catch {
        this.#restart();
      }
    }, retryMs);
    this.#retry.unref();
  }
}
