/** Requests sent in order over a connection that is made again when it breaks. */
import { connectLuxi, type LuxiConnection, LuxiConnectionError } from "../connection.js";

/** Times of a client, in ms. */
export interface ClientTimes {
  /** For connecting, over all tries. */
  readonly connectMs: number;
  /** Between two tries to connect while no server listens. */
  readonly connectAgainMs: number;
  /** Without any byte sent or received while a call is in progress. */
  readonly silenceMs: number;
  /** For the whole of a call on one connection. */
  readonly answerMs: number;
  /** The wait before the nth repetition of a request is n - 1 times this. */
  readonly repeatMs: number;
}

/** The times of Ganeti's Python clients. */
export const clientTimes: ClientTimes = {
  connectMs: 30_000,
  connectAgainMs: 1_000,
  silenceMs: 180_000,
  answerMs: 180_000,
  repeatMs: 5_000,
};

/** Lists of whole clusters are one answer each; none is as long as this. */
const answerBytesMax = 1 << 29;

export interface ExchangerOptions {
  readonly path: string;
  readonly times: ClientTimes;
  readonly isMaster: () => boolean | Promise<boolean>;
  readonly attempts: number;
}

/** One request after the other; those whose connection breaks are repeated. */
export class Exchanger {
  readonly #options: ExchangerOptions;
  readonly #closing = new AbortController();
  #connection: LuxiConnection | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ExchangerOptions) {
    this.#options = options;
  }

  /** Calls wait for those before them. */
  exchange(request: string, given?: AbortSignal): Promise<Uint8Array> {
    const signal = given ? AbortSignal.any([given, this.#closing.signal]) : this.#closing.signal;
    const answer = this.#last.then(() => this.#repeated(request, signal));
    this.#last = answer.catch(() => {});
    return answer;
  }

  close(): void {
    this.#closing.abort();
    this.#disconnect();
  }

  async #repeated(request: string, signal: AbortSignal): Promise<Uint8Array> {
    const { attempts, times } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(request, signal);
      } catch (error) {
        this.#disconnect();
        const broken =
          error instanceof LuxiConnectionError &&
          error.step === "exchange" &&
          !["ETIMEDOUT", "EMSGSIZE", "ECANCELED"].includes(error.code);
        if (!broken || attempt >= attempts) throw error;
      }
      await pause(times.repeatMs * (attempt - 1), signal);
    }
  }

  async #once(request: string, signal: AbortSignal): Promise<Uint8Array> {
    const { answerMs } = this.#options.times;
    if (!signal.aborted) this.#connection ??= await this.#connected(signal);
    if (signal.aborted || this.#connection === undefined) throw canceled();
    const connection = this.#connection;
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      connection.close();
    }, answerMs);
    const abort = () => connection.close();
    signal.addEventListener("abort", abort);
    try {
      return await connection.exchange(request);
    } catch (error) {
      if (!timedOut) throw error;
      throw new LuxiConnectionError("ETIMEDOUT", "exchange", `no answer within ${answerMs} ms`);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Tries again while no server listens, as it may be starting. */
  async #connected(signal: AbortSignal): Promise<LuxiConnection> {
    const { path, times, isMaster } = this.#options;
    const deadline = performance.now() + times.connectMs;
    for (;;) {
      const connectMs = Math.max(1, deadline - performance.now());
      try {
        return await connectLuxi(path, {
          connectMs,
          silenceMs: times.silenceMs,
          bytesMax: answerBytesMax,
        });
      } catch (error) {
        if (!(error instanceof LuxiConnectionError)) throw error;
        if (!["ENOENT", "ECONNREFUSED", "EAGAIN"].includes(error.code)) throw error;
        if (performance.now() + times.connectAgainMs >= deadline || !(await isMaster()))
          throw error;
      }
      await pause(times.connectAgainMs, signal);
    }
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

const canceled = () =>
  new LuxiConnectionError("ECANCELED", "exchange", "the call was ended by its caller");

/** @throws LuxiConnectionError `ECANCELED` */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(canceled());
    };
    if (signal.aborted) {
      reject(canceled());
      return;
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
