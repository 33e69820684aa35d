/** Calls with JSON in and bytes out, repeated if that is safe. */
import type { Answer, Question, Server, Transport } from "./exchange.js";
import { RapiError, refusal } from "./rapi-error.js";
import { type RapiOptions, serverOf } from "./server.js";

/** HTTP methods of the remote API. */
export type Method = "GET" | "PUT" | "POST" | "DELETE";

/** Values of the query part; a list repeats the key, undefined omits it. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Query part, body and signal of an exchange. */
export interface Parts {
  readonly query?: Query | undefined;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Body of an answer as it came, with the call it belongs to. */
export interface Carried {
  readonly body: Uint8Array;
  /** Method and URL of the call, for errors about the body. */
  readonly facts: { readonly method: string; readonly url: string };
}

/** Carrier for one server. */
export class Carrier {
  readonly #transport: Transport;
  readonly #server: Server;
  readonly #retriesMax: number;
  readonly #retryDelayMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #onNote: RapiOptions["onNote"];

  /** @throws RapiError `invalid_url` */
  constructor(options: RapiOptions, transport: Transport) {
    this.#transport = transport;
    this.#server = serverOf(options);
    this.#retriesMax = options.retriesMax ?? 2;
    this.#retryDelayMs = options.retryDelayMs ?? 500;
    this.#signal = options.signal;
    this.#onNote = options.onNote;
  }

  /** The unparsed body of a resource. @throws RapiError, also for statuses from 400 on */
  async carry(method: Method, path: string, parts: Parts): Promise<Carried> {
    const question = this.#question(method, path, parts);
    const facts = { method, url: this.#server.base + question.path };
    const answer = await this.#patiently(question);
    if (answer.note !== undefined) this.#onNote?.(answer.note);
    if (answer.status >= 400) throw refusal(answer.status, answer.body, facts);
    return { body: answer.body, facts };
  }

  /** The body of a resource as a stream; not repeated. @throws RapiError, also for statuses from 400 on */
  stream(path: string, parts: Omit<Parts, "body">): AsyncIterable<Uint8Array> {
    return this.#transport.stream(this.#server, this.#question("GET", path, parts));
  }

  #question(method: Method, path: string, { query = {}, body, signal }: Parts): Question {
    return {
      method,
      path: path + queryText(query),
      ...(body === undefined ? {} : { body }),
      ...signalOf(signal, this.#signal),
    };
  }

  async #patiently(question: Question): Promise<Answer> {
    for (let retry = 0; ; retry++) {
      try {
        return await this.#transport.exchange(this.#server, question);
      } catch (error) {
        if (retry >= this.#retriesMax || !canRepeat(error, question.method)) throw error;
        // After an abort, the next exchange reports it.
        await pause(this.#retryDelayMs * 2 ** retry, question.signal);
      }
    }
  }
}

/**
 * Reading can be repeated safely. A change is repeated only if the server has not received it: a job must not
 * be submitted twice.
 */
function canRepeat(error: unknown, method: string): boolean {
  if (!(error instanceof RapiError)) return false;
  if (error.code === "unreachable") return true;
  return method === "GET" && (error.code === "broken" || error.code === "unresolved");
}

function signalOf(...signals: (AbortSignal | undefined)[]): { signal?: AbortSignal } {
  const given = signals.filter((signal) => signal !== undefined);
  const [only] = given;
  if (only === undefined) return {};
  return { signal: given.length === 1 ? only : AbortSignal.any(given) };
}

function queryText(query: Query): string {
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) parts.append(key, String(one));
  }
  return parts.size > 0 ? `?${parts}` : "";
}

/** Waits; resolves early when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end);
  });
}
