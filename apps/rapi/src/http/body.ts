/** BodyReader: reads JSON bodies of requests with any method, within bounds of size and time. */
import type { IncomingMessage } from "node:http";
import { bytesPerMib, type Json, JsonError, parseJson } from "@ganeti-ts/protocol";
import { ClientGone, HttpFault } from "./fault.js";
import { exceededBound, type JsonBounds } from "./json-bounds.js";

export interface BodyLimits {
  /** Maximum size of one body. */
  readonly bytesMax: number;
  /** The same for methods that take long lists. */
  readonly bytesLongMax: number;
  /** Bounds of the value. */
  readonly bounds: JsonBounds;
  readonly boundsLong: JsonBounds;
  /** Maximum size of all received bodies that have not been parsed yet. */
  readonly bytesTogetherMax: number;
  /** Share of it that one client may use. */
  readonly bytesOfClientMax: number;
  /** Time (ms) that every body may take; beyond it, `rateMin` applies. */
  readonly graceMs: number;
  /** Minimum average rate (bytes per second) since the start of a body; slower ones are cut. */
  readonly rateMin: number;
}

export const usualBodyLimits: BodyLimits = {
  bytesMax: bytesPerMib,
  bytesLongMax: 10 * bytesPerMib,
  bounds: { depthMax: 32, keysMax: 4096, valuesMax: 20_000 },
  boundsLong: { depthMax: 32, keysMax: 4096, valuesMax: 250_000 },
  bytesTogetherMax: 128 * bytesPerMib,
  bytesOfClientMax: 40 * bytesPerMib,
  graceMs: 10_000,
  rateMin: 1024,
};

/** Source of a body: a connection, or in tests a request that never had one. */
export interface BodySource {
  readonly incoming: IncomingMessage | undefined;
  readonly request: Request;
  /** User or address to which its bytes are attributed. */
  readonly client: string;
  /** Whether the method takes long lists. */
  readonly isLong?: boolean | undefined;
}

/** A body that has been received. */
export interface Body {
  /**
   * Returns the value, undefined if there is no body, and releases the bytes.
   * @throws HttpFault 400 if it is not JSON, 413 if it has too many parts
   */
  parse(): Json | undefined;
  /** Releases the bytes without parsing them. */
  drop(): void;
}

const noBody: Body = { parse: () => undefined, drop: () => {} };

/** Receives bodies, and limits the memory that they take together. */
export class BodyReader {
  readonly #limits: BodyLimits;
  #bytes = 0;
  readonly #bytesByClient = new Map<string, number>();

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /**
   * @throws HttpFault 413 if it is too large, 415 if it is not declared as JSON, 408 if it comes too slowly, 503 if
   * too much is being received together
   * @throws ClientGone if the connection closes before its end
   */
  async read({ incoming, request, client, isLong = false }: BodySource): Promise<Body> {
    const { headers } = request;
    const bytesMax = isLong ? this.#limits.bytesLongMax : this.#limits.bytesMax;
    const declared = Number(headers.get("content-length") ?? 0);
    if (declared > bytesMax) throw tooLarge();
    const chunked = headers.get("transfer-encoding") !== null;
    if (incoming !== undefined && declared === 0 && !chunked) return noBody;
    const account = this.#account(client);
    try {
      const bytes =
        incoming === undefined
          ? new Uint8Array(await request.arrayBuffer())
          : await received(incoming, { ...this.#limits, bytesMax }, account.add);
      if (bytes.length > bytesMax) throw tooLarge();
      if (bytes.length === 0) {
        account.close();
        return noBody;
      }
      const [type = ""] = (headers.get("content-type") ?? "").split(";");
      if (type.trim().toLowerCase() !== "application/json") throw new HttpFault(415);
      const bounds = isLong ? this.#limits.boundsLong : this.#limits.bounds;
      return bodyOfBytes(bytes, bounds, account.close);
    } catch (error) {
      account.close();
      throw error;
    }
  }

  /** Account of one body's bytes: `add` returns false if they would exceed a limit. */
  #account(client: string) {
    let mine = 0;
    return {
      add: (count: number): boolean => {
        const ofClient = (this.#bytesByClient.get(client) ?? 0) + count;
        const { bytesTogetherMax, bytesOfClientMax } = this.#limits;
        if (this.#bytes + count > bytesTogetherMax || ofClient > bytesOfClientMax) return false;
        mine += count;
        this.#bytes += count;
        this.#bytesByClient.set(client, ofClient);
        return true;
      },
      close: (): void => {
        const left = (this.#bytesByClient.get(client) ?? 0) - mine;
        this.#bytes -= mine;
        mine = 0;
        if (left > 0) this.#bytesByClient.set(client, left);
        else this.#bytesByClient.delete(client);
      },
    };
  }
}

function bodyOfBytes(received: Uint8Array, bounds: JsonBounds, close: () => void): Body {
  let bytes: Uint8Array | undefined = received;
  const drop = () => {
    bytes = undefined;
    close();
  };
  return {
    drop,
    parse() {
      try {
        const exceeded = bytes && exceededBound(bytes, bounds);
        if (exceeded !== undefined) throw new HttpFault(413, `The body has ${exceeded}`);
        return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
      } catch (error) {
        if (!(error instanceof JsonError || error instanceof TypeError)) throw error;
        throw new HttpFault(400, "Unable to parse JSON data", {}, { cause: error });
      } finally {
        drop();
      }
    },
  };
}

/** Receives a body. One that is cut is dropped, and its connection ends with the answer. */
function received(
  incoming: IncomingMessage,
  { bytesMax, graceMs, rateMin }: BodyLimits,
  add: (count: number) => boolean,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // A connection that has closed already emits no more events.
    if (incoming.destroyed) return reject(new ClientGone());
    const chunks: Buffer[] = [];
    let length = 0;
    const begun = performance.now();
    let timer: NodeJS.Timeout;
    const look = () => {
      const leftMs = begun + graceMs + (length / rateMin) * 1000 - performance.now();
      if (leftMs > 0) timer = setTimeout(look, leftMs);
      else finish(() => reject(tooSlow()));
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) finish(() => reject(tooLarge()));
      else if (!add(chunk.length)) finish(() => reject(tooMuch()));
      else chunks.push(chunk);
    };
    const end = () => finish(() => resolve(Buffer.concat(chunks)));
    const gone = () => finish(() => reject(new ClientGone()));
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      incoming.off("data", take).off("end", end).off("error", gone).off("close", gone);
      incoming.on("error", () => {});
      incoming.resume();
      settle();
    };
    timer = setTimeout(look, graceMs);
    incoming.on("data", take).on("end", end).on("error", gone).on("close", gone);
  });
}

const tooLarge = () => new HttpFault(413, "Request body too large", { connection: "close" });
const tooSlow = () =>
  new HttpFault(408, "The request body arrives too slowly", { connection: "close" });
const tooMuch = () =>
  new HttpFault(503, "Too many large request bodies at a time; try again later", {
    connection: "close",
    "retry-after": "1",
  });
