/** Calls with JSON in and a validated value out. */
import type * as z from "zod";
import type { Carrier, Method, Query } from "./carrier.js";
import { RapiError } from "./rapi-error.js";

export type { Method, Query } from "./carrier.js";

/** Query part, body and signal of a call. */
export interface CallOptions {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Caller for one server. */
export class Caller {
  readonly #carrier: Carrier;

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
  }

  /** The body of a resource, validated by `schema`. @throws RapiError */
  async call<Schema extends z.ZodType>(
    method: Method,
    path: string,
    schema: Schema,
    { body: given, ...options }: CallOptions = {},
  ): Promise<z.output<Schema>> {
    const { body, facts } = await this.#carrier.carry(method, path, {
      ...options,
      ...(given === undefined ? {} : { body: JSON.stringify(given) }),
    });
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

  /** The unparsed body of a resource. @throws RapiError */
  async read(path: string, options: Omit<CallOptions, "body"> = {}): Promise<Uint8Array> {
    return (await this.#carrier.carry("GET", path, options)).body;
  }

  /** The body as a stream. @throws RapiError */
  stream(path: string, options: Omit<CallOptions, "body"> = {}): AsyncIterable<Uint8Array> {
    return this.#carrier.stream(path, options);
  }
}
