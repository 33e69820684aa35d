/** Calls with JSON in, a checked value out, and repetitions where they do no harm. */
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { type Answer, exchange, type Question, type Server } from "./exchange.js";
import { RapiError, refusal } from "./rapi-error.js";
import { type RapiOptions, serverOf } from "./server.js";

export type Method = "GET" | "PUT" | "POST" | "DELETE";

/** Values of the query part; lists give a key several times, undefined leaves it out. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface CallOptions {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Calls one server. */
export class Caller {
  readonly #server: Server;
  readonly #retriesMax: number;
  readonly #retryDelayMs: number;
  readonly #signal: AbortSignal | undefined;

  /** @throws RapiError `invalid_url` */
  constructor(options: RapiOptions) {
    this.#server = serverOf(options);
    this.#retriesMax = options.retriesMax ?? 2;
    this.#retryDelayMs = options.retryDelayMs ?? 500;
    this.#signal = options.signal;
  }

  /** The body of a resource as `schema` promises it. @throws RapiError */
  async call<Schema extends z.ZodType>(
    method: Method,
    path: string,
    schema: Schema,
    options: CallOptions = {},
  ): Promise<z.output<Schema>> {
    const { body, facts } = await this.#answered(method, path, options);
    const unexpected = (what: string, cause: unknown) =>
      new RapiError("unexpected", what, facts, { cause });
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    } catch (error) {
      throw unexpected("the answer is not JSON", error);
    }
    const checked = schema.safeParse(value);
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    throw unexpected(`${issue?.path.join(" > ") || "answer"}: ${issue?.message}`, checked.error);
  }

  /** A resource's body as it comes. @throws RapiError */
  async read(path: string, options: Omit<CallOptions, "body"> = {}): Promise<Uint8Array> {
    return (await this.#answered("GET", path, options)).body;
  }

  async #answered(method: Method, path: string, options: CallOptions) {
    const question: Question = {
      method,
      path: path + queryText(options.query ?? {}),
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...signalOf(options.signal, this.#signal),
    };
    const facts = { method, url: this.#server.base + question.path };
    const { status, body } = await this.#patiently(question);
    if (status >= 400) throw refusal(status, body, facts);
    return { body, facts };
  }

  async #patiently(question: Question): Promise<Answer> {
    for (let retry = 0; ; retry++) {
      try {
        return await exchange(this.#server, question);
      } catch (error) {
        if (retry >= this.#retriesMax || !canRepeat(error, question.method)) throw error;
        // Aborted here, the next exchange says so.
        await sleep(this.#retryDelayMs * 2 ** retry, undefined, question).catch(() => {});
      }
    }
  }
}

/**
 * Reading does no harm twice. What changes something is repeated only if nobody has heard it: a job
 * must not be submitted twice.
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
