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

/** A request to the thread. */
type Request = { readonly file: number } & (
  | {
      readonly kind: "open";
      readonly path: string;
      readonly pragmas: readonly string[];
      readonly statements: Readonly<Record<string, string>>;
      readonly isSynced: boolean;
    }
  | { readonly kind: "write"; readonly writes: readonly Write[] }
  | { readonly kind: "truncate" }
  | { readonly kind: "close" }
);

/** A request with the number of its reply. */
export type Order = Request & { readonly id: number };

/** Rows changed by each statement, or an error; `isLost`: of a `WriterLostError`. */
export type Reply = { readonly id: number } & (
  | { readonly changed: readonly number[] }
  | { readonly message: string; readonly code?: string; readonly isLost?: boolean }
);

/**
 * The thread or the disk has failed: the last transactions may be lost, and further ones are refused until the file is
 * opened again.
 */
export class WriterLostError extends Error {
  override readonly name = "WriterLostError";
}

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
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #failure: WriterLostError | undefined;

  constructor() {
    // Only unfinished transactions keep the process alive.
    this.#worker.unref();
    this.#worker.on("message", (replies: readonly Reply[]) => this.#answer(replies));
    this.#worker.on("error", (error) => this.#fail(error.message));
    this.#worker.on("exit", () => this.#fail("it has ended"));
  }

  get failure(): WriterLostError | undefined {
    return this.#failure;
  }

  ask(request: Request): Promise<readonly number[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      // Refuses values that cannot be copied: such an order has no answer.
      this.#worker.postMessage({ id, ...request });
      if (this.#waiting.set(id, { resolve, reject }).size === 1) this.#worker.ref();
    });
  }

  #answer(replies: readonly Reply[]): void {
    for (const reply of replies) {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ("changed" in reply) waiting?.resolve(reply.changed);
      else if (reply.isLost) waiting?.reject(new WriterLostError(reply.message));
      else waiting?.reject(Object.assign(new Error(reply.message), { code: reply.code }));
    }
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #fail(why: string): void {
    this.#failure ??= new WriterLostError(`the thread that writes SQLite files: ${why}`);
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
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
  /**
   * Whether transactions are on disk when they are acknowledged; the connection needs no more than
   * `synchronous = NORMAL` for it. Those that arrive during a sync share the next one.
   */
  readonly isSynced: boolean;
}

/**
 * Writes to a SQLite file in write-ahead mode, outside of the event loop. Its tables must exist. Requests are carried out
 * one after the other.
 */
export class Writer {
  readonly #thread: WritingThread;
  readonly #file = ++files;
  #failure: WriterLostError | undefined;

  constructor(options: WriterOptions) {
    if (thread === undefined || thread.failure !== undefined) thread = new WritingThread();
    this.#thread = thread;
    // The next request fails with the same error.
    this.#thread.ask({ file: this.#file, kind: "open", ...options }).catch(() => {});
  }

  /** Present when all further transactions are refused. */
  get failure(): WriterLostError | undefined {
    return this.#failure ?? this.#thread.failure;
  }

  /**
   * One transaction; resolves to the number of rows changed by each statement, when it has been committed.
   * @throws Error of SQLite or of a statement: nothing has been written; WriterLostError
   */
  async write(writes: readonly Write[]): Promise<readonly number[]> {
    try {
      return await this.#thread.ask({ file: this.#file, kind: "write", writes });
    } catch (error) {
      if (error instanceof WriterLostError) this.#failure ??= error;
      throw error;
    }
  }

  /** Copies the log of changes into the file and empties it; false if a reader prevents it. */
  async truncate(): Promise<boolean> {
    const [isEmpty] = await this.#thread.ask({ file: this.#file, kind: "truncate" });
    return isEmpty === 1;
  }

  /** Closes the file, after all earlier requests; it has been closed if the thread has ended. */
  async close(): Promise<void> {
    if (this.#thread.failure !== undefined) return;
    await this.#thread.ask({ file: this.#file, kind: "close" });
  }
}
