/** Lease of this worker: renewed by a thread as long as the main loop makes progress, read at no cost. */
import { Worker } from "node:worker_threads";
import type { ClientConfig } from "pg";

export interface LeaseOptions {
  readonly config: ClientConfig;
  readonly worker: number;
  readonly fence: number;
  readonly leaseMs: number;
  /** Time at which the lease was granted, by `process.hrtime.bigint()`. */
  readonly granted: bigint;
  /** Called once another worker has declared this one dead. */
  readonly onFenced: () => void;
}

export class Lease {
  readonly #until = new BigInt64Array(new SharedArrayBuffer(8));
  /**
   * Time of the last turn of the main loop, by `process.hrtime.bigint()`: the thread releases the lease when
   * that is a lease ago.
   */
  readonly #turned = new BigInt64Array(new SharedArrayBuffer(8));
  readonly #heart: NodeJS.Timeout;
  readonly #start: NodeJS.Timeout;
  #thread: Worker | undefined;

  constructor(options: LeaseOptions) {
    this.#until[0] = options.granted + BigInt(options.leaseMs) * 1_000_000n;
    const beat = () => Atomics.store(this.#turned, 0, process.hrtime.bigint());
    beat();
    this.#heart = setInterval(beat, options.leaseMs / 10);
    this.#heart.unref();
    // Delayed: a process that ends before needs no thread.
    this.#start = setTimeout(() => this.#startThread(options), options.leaseMs / 10);
    this.#start.unref();
  }

  #startThread({ onFenced, config, worker, fence, leaseMs }: LeaseOptions): void {
    this.#thread = new Worker(new URL("./lease-thread.js", import.meta.url), {
      workerData: { config, worker, fence, leaseMs, until: this.#until, turned: this.#turned },
      // Options of this process, such as loaders, do not apply to the thread.
      execArgv: [],
    });
    this.#thread.unref();
    this.#thread.on("message", onFenced);
    // Without the thread the lease expires, which its users notice.
    this.#thread.on("error", () => {});
  }

  /** Minimum remaining time (ms), not above zero when it has expired. */
  leftMs(): number {
    const left = Atomics.load(this.#until, 0) - process.hrtime.bigint();
    return Number(left) / 1e6;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#start);
    clearInterval(this.#heart);
    await this.#thread?.terminate();
  }
}
