/** Transactions of SQLite files in a thread of their own. */
import { Worker } from "node:worker_threads";

/**
 * A statement of the file by its name, its values, and the error unless it changes exactly one row (without: any number).
 */
export type Write<Name extends string = string> = readonly [
  statement: Name,
  values: readonly unknown[],
  refusal?: string,
];

/** A request to the thread; it answers in the order of the requests. */
export type Order = { readonly file: number } & (
  | {
      readonly kind: "open";
      readonly path: string;
      readonly pragmas: readonly string[];
      readonly statements: Readonly<Record<string, string>>;
    }
  | { readonly kind: "write"; readonly writes: readonly Write[] }
  | { readonly kind: "truncate" }
  | { readonly kind: "close" }
);

/** Rows changed by each statement, or an error. */
export type Reply =
  | { readonly changed: readonly number[] }
  | { readonly message: string; readonly code?: string };

interface Waiting {
  readonly resolve: (changed: readonly number[]) => void;
  readonly reject: (error: Error) => void;
}

/** The thread of this process, which starts with the first file and stays: a start takes longer than a transaction. */
class WritingThread {
  readonly #worker = new Worker(new URL("./writing-thread.js", import.meta.url), {
    // Options of this process, such as loaders, do not apply to the thread.
    execArgv: [],
  });
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor() {
    // Only unfinished transactions keep the process alive.
    this.#worker.unref();
    this.#worker.on("message", (reply: Reply) => this.#answer(reply));
    this.#worker.on("error", (error) => this.#fail(error));
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  ask(order: Order): Promise<readonly number[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      // Refuses values that cannot be copied: such an order has no answer.
      this.#worker.postMessage(order);
      if (this.#waiting.push({ resolve, reject }) === 1) this.#worker.ref();
    });
  }

  #answer(reply: Reply): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if ("changed" in reply) waiting?.resolve(reply.changed);
    else waiting?.reject(Object.assign(new Error(reply.message), { code: reply.code }));
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

let thread: WritingThread | undefined;
let files = 0;

/** Options of a writer. */
export interface WriterOptions {
  readonly path: string;
  /** Settings of the connection. */
  readonly pragmas: readonly string[];
  /** SQL texts by name. */
  readonly statements: Readonly<Record<string, string>>;
}

/**
 * Writes to a SQLite file outside of the event loop. Its tables must exist. Requests are carried out one after the other.
 */
export class Writer {
  readonly #thread: WritingThread;
  readonly #file = ++files;

  constructor(options: WriterOptions) {
    if (thread === undefined || thread.failure !== undefined) thread = new WritingThread();
    this.#thread = thread;
    // The next request fails with the same error.
    this.#thread.ask({ file: this.#file, kind: "open", ...options }).catch(() => {});
  }

  /**
   * One transaction; resolves to the number of rows changed by each statement, when it has been committed.
   * @throws Error of SQLite or of a statement: nothing has been written
   */
  write(writes: readonly Write[]): Promise<readonly number[]> {
    return this.#thread.ask({ file: this.#file, kind: "write", writes });
  }

  /** Copies the log of changes into the file and empties it; false if a reader prevents it. */
  async truncate(): Promise<boolean> {
    const [isEmpty] = await this.#thread.ask({ file: this.#file, kind: "truncate" });
    return isEmpty === 1;
  }

  /** Closes the file, after all earlier requests. */
  async close(): Promise<void> {
    await this.#thread.ask({ file: this.#file, kind: "close" });
  }
}
