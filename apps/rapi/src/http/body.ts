/** The body of a request, whatever its method: bounded, of the right type, and JSON. */
import type { IncomingMessage } from "node:http";
import { type Json, JsonError, parseJson } from "@ganeti-ts/protocol";
import { HttpFault } from "./fault.js";

/** 10 MiB. */
const bodyBytesMax = 10 * 1024 * 1024;

/** Where a body comes from: a connection, or in tests a request that never had one. */
export interface BodySource {
  readonly incoming: IncomingMessage | undefined;
  readonly request: Request;
}

/**
 * The value of the body; undefined if there is none.
 * @throws HttpFault 413 if it is too large, 415 if it is not declared as JSON, 400 if it is none
 */
export async function readBody(source: BodySource): Promise<Json | undefined> {
  const { headers } = source.request;
  const declared = Number(headers.get("content-length") ?? 0);
  if (declared > bodyBytesMax) throw tooLarge();
  const chunked = headers.get("transfer-encoding") !== null;
  if (source.incoming !== undefined && declared === 0 && !chunked) return undefined;
  const bytes =
    source.incoming === undefined
      ? await source.request.arrayBuffer().then((buffer) => new Uint8Array(buffer))
      : await received(source.incoming);
  if (bytes.length === 0) return undefined;
  if (bytes.length > bodyBytesMax) throw tooLarge();
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") throw new HttpFault(415);
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (!(error instanceof JsonError || error instanceof TypeError)) throw error;
    throw new HttpFault(400, "Unable to parse JSON data", {}, { cause: error });
  }
}

/** What is too much is not kept; the connection ends with the answer. */
function received(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyBytesMax) chunks.push(chunk);
      else finish(() => reject(tooLarge()));
    };
    const end = () => finish(() => resolve(Buffer.concat(chunks)));
    const gone = () => finish(() => reject(new HttpFault(400, "the request was cut off")));
    const finish = (settle: () => void) => {
      incoming.off("data", take).off("end", end).off("error", gone).off("close", gone);
      incoming.on("error", () => {});
      incoming.resume();
      settle();
    };
    incoming.on("data", take).on("end", end).on("error", gone).on("close", gone);
  });
}

const tooLarge = () => new HttpFault(413, "Request body too large", { connection: "close" });
