/** Responses: a result or an error to bytes, and back. */
import { isJsonObject, type Json, JsonError, parseJson, writeAsciiJson } from "@ganeti-ts/protocol";
import { encodeGanetiError, GanetiError, isGanetiErrorClass } from "./ganeti-error.js";
import { protocolVersion } from "./request.js";
import { RequestFault } from "./request-fault.js";

/** The text of a response, without its end byte; no version, which clients would compare with theirs. */
export const encodeResult = (result: Json): string =>
  `{"success":true,"result":${writeAsciiJson(result)}}`;

/** The text of a refusal: a plain string of a request that cannot be parsed, else class and values. */
export function encodeFailure(error: RequestFault | GanetiError): string {
  const result = error instanceof RequestFault ? error.message : encodeGanetiError(error);
  return `{"success":false,"result":${writeAsciiJson(result)}}`;
}

/** Bytes that are not a response, or the server's text about a request that it could not parse. */
export class LuxiProtocolError extends Error {
  override readonly name = "LuxiProtocolError";
}

/**
 * The result in a response.
 * @throws GanetiError that the master answered, or a `LuxiError` about another version;
 * LuxiProtocolError
 */
export function decodeResponse(message: Uint8Array): Json {
  const response = parsed(message);
  if (!isJsonObject(response) || typeof response.success !== "boolean") {
    throw new LuxiProtocolError("Invalid response from the master: no object with a success");
  }
  const { success, result, version = null } = response;
  if (version !== null && version !== protocolVersion) {
    const text = `RPC version mismatch, client ${protocolVersion}, response ${String(version)}`;
    throw new GanetiError("LuxiError", [text]);
  }
  if (result === undefined) throw new LuxiProtocolError("Invalid response: no result");
  if (success) return result;
  if (Array.isArray(result) && typeof result[0] === "string" && Array.isArray(result[1])) {
    if (isGanetiErrorClass(result[0])) throw new GanetiError(result[0], result[1]);
  }
  throw new LuxiProtocolError(typeof result === "string" ? result : writeAsciiJson(result));
}

function parsed(message: Uint8Array): Json {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(message));
  } catch (error) {
    if (!(error instanceof JsonError || error instanceof TypeError)) throw error;
    const text = `Invalid response from the master: ${error.message}`;
    throw new LuxiProtocolError(text, { cause: error });
  }
}
