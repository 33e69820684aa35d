/** Calls with JSON in and out, whole numbers beyond 2^53 kept exact; and checks of answers. */
import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  writeJson,
} from "@ganeti-ts/protocol";
import {
  Carrier,
  type Method,
  type Query,
  type RapiOptions,
} from "@ganeti-ts/rapi-client/transport";
import { ConnectionFailure } from "../errors.js";

export interface WireParts {
  readonly query?: Query;
  readonly body?: Json;
}

/** One server. */
export class Wire {
  readonly #carrier: Carrier;
  /** Name of the server in messages. */
  readonly name: string;

  constructor(server: RapiOptions) {
    this.#carrier = new Carrier(server);
    this.name = server.socketPath ?? server.url;
  }

  /** @throws RapiError, ConnectionFailure if the answer is not JSON */
  async call(method: Method, path: string, { query, body }: WireParts = {}): Promise<Json> {
    const carried = await this.#carrier.carry(method, path, {
      query,
      body: body === undefined ? undefined : writeJson(body),
    });
    try {
      return parseJson(Buffer.from(carried.body).toString());
    } catch (error) {
      const { message } = error as Error;
      throw new ConnectionFailure(`${method} ${path}: the answer is not JSON: ${message}`);
    }
  }
}

/** Error for an answer of the wrong form. */
export const unexpected = (path: string): ConnectionFailure =>
  new ConnectionFailure(`${path}: the answer is not what this program expects`);

/** @throws ConnectionFailure */
export function requireObject(value: Json | undefined, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw unexpected(path);
}

/** @throws ConnectionFailure */
export function requireList(value: Json | undefined, path: string): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw unexpected(path);
}

/** @throws ConnectionFailure */
export function outcome(answer: Json, path: string): readonly [boolean, string] {
  const [done, message] = requireList(answer, path);
  if (typeof done !== "boolean") throw unexpected(path);
  return [done, String(message)];
}
