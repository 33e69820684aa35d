/**
 * Calls and replies as Ganeti's htools write and read them: calls `{"method": …, "args": […]}`, and
 * replies `{"success": true, "result": …}`, or `false` with one of Ganeti's errors as the result.
 * Source: Ganeti, UDSServer.hs, Luxi.hs.
 */
import {
  introducingJsonErrors,
  type Json,
  JsonDocument,
  MessageError,
  plainValue,
  RecordReader,
  renderJson,
  writeJson,
} from "@ganeti-ts/protocol";
import { GanetiError, isGanetiError } from "./ganeti-error.js";

/** A call: the name of its method and its arguments in order. */
export interface LuxiCall {
  readonly method: string;
  readonly args: readonly Json[];
}

/** The text of a call, without its end. */
export const writeLuxiCall = ({ method, args }: LuxiCall): string => writeJson({ method, args });

/** The result of a call: a value in the document of its reply. */
export interface LuxiResult {
  readonly document: JsonDocument;
  readonly value: number;
}

/**
 * The result in a reply.
 * @throws GanetiError the master's, or a `GenericError` about bytes that are not a reply
 */
export function readLuxiReply(bytes: Uint8Array): LuxiResult {
  try {
    const subject = "Parsing LUXI response";
    const document = introducingJsonErrors(subject, () => new JsonDocument(plain(bytes)));
    if (!document.isObject(0))
      throw new GanetiError("GenericError", [`${subject}: Unable to read JSObject`]);
    const reply = new RecordReader(document, 0, "");
    const success = reply.boolean("success");
    const value = reply.value("result");
    if (success) return { document, value };
    throw masterError(document, value);
  } catch (error) {
    if (!(error instanceof MessageError)) throw error;
    throw new GanetiError("GenericError", [error.message], { cause: error });
  }
}

function masterError(document: JsonDocument, value: number): GanetiError {
  const error: unknown = plainValue(document, value);
  const refuse = (why: string) => {
    const text = `Cannot convert value '${renderJson(document, value)}', error: ${why}`;
    return new GanetiError("GenericError", [text]);
  };
  if (!Array.isArray(error) || error.length !== 2 || typeof error[0] !== "string") {
    const shown = renderJson(document, value);
    return refuse(`Invalid exception: expected '(string, [args])'       but got ${shown}'`);
  }
  const [code, values] = error as [string, unknown];
  if (isGanetiError(code, values)) return new GanetiError(code, values);
  return refuse(`Unknown exception '${code}'`);
}

/** Bytes without the class that Node's `Buffer` adds: one class of array keeps the scan fast. */
const plain = (bytes: Uint8Array) =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
