/** News by LISTEN: a connection of its own, made anew when it breaks; what is missed is found by polling. */
import pg, { type ClientConfig } from "pg";

const retryMs = 1000;

export class Listener {
  readonly #config: ClientConfig;
  readonly #channels: readonly string[];
  readonly #tell: (channel: string, payload: string) => void;
  #client: pg.Client | undefined;
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

  async start(): Promise<void> {
    const client = new pg.Client(this.#config);
    this.#client = client;
    client.on("error", () => {});
    client.on("end", () => this.#restart());
    client.on("notification", ({ channel, payload = "" }) => this.#tell(channel, payload));
    await client.connect();
    for (const channel of this.#channels) await client.query(`LISTEN ${channel}`);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#client?.end().catch(() => undefined);
  }

  #restart(): void {
    if (this.#isOver) return;
    const timer = setTimeout(async () => {
      if (this.#isOver) return;
      try {
        await this.start();
        for (const channel of this.#channels) this.#tell(channel, "");
      } catch {
        this.#restart();
      }
    }, retryMs);
    timer.unref();
  }
}
