/** Exchanges with a master, and whether this package reads and writes them as they are. */

import {
  decodeRequest,
  decodeResponse,
  encodeFailure,
  encodeRequest,
  encodeResult,
  GanetiError,
  LuxiProtocolError,
  luxiMethods,
  type Method,
  RequestFault,
} from "@ganeti-ts/luxi";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  sameJson,
  writeJson,
} from "@ganeti-ts/protocol";

/** A request and its response, as texts without their end bytes. */
export interface Exchange {
  readonly source: string;
  readonly request: string;
  readonly response: string;
}

/** The exchanges in a recording; those without an answer, and parts of messages, are left out. */
export function exchangesOf(source: string, recording: string): Exchange[] {
  const { exchanges } = parseJson(recording) as { readonly exchanges: readonly JsonObject[] };
  let unfinished = "";
  return exchanges.flatMap(({ request, response, request_text, response_text }): Exchange[] => {
    if (typeof request_text === "string") {
      const messages = (unfinished + request_text).split("\u0003");
      unfinished = messages.pop() ?? "";
      return (response_text as readonly string[]).map((text, at) => ({
        source,
        request: messages[at] as string,
        response: text,
      }));
    }
    if (!isJsonObject(response)) return [];
    return [{ source, request: writeJson(request as Json), response: writeJson(response) }];
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);

/** Fault of an exchange in words; undefined if there is none. */
export function problemOf({ request, response }: Exchange): string | undefined {
  const { success, result } = parseJson(response) as { success: boolean; result: Json };
  if (success) return resultProblem(request, response, result);
  return typeof result === "string"
    ? faultProblem(request, response, result)
    : errorProblem(request, response, result);
}

/** The request and the result decode, and encode as they were. */
function resultProblem(request: string, response: string, result: Json): string | undefined {
  const read = outcome(() => decodeRequest(bytes(request)));
  if ("error" in read) return `refused: ${read.error}`;
  const { method, args } = read.value;
  const again = parseJson(encodeRequest(method, args)) as JsonObject;
  const sent = plainArguments(method, (parseJson(request) as JsonObject).args as Json);
  if (!sameJson(again.args as Json, sent)) return `encoded as ${writeJson(again)}`;
  const { result: schema }: Method = luxiMethods[method];
  const checked = schema.safeParse(decodeResponse(bytes(response)));
  if (!checked.success) return `result: ${checked.error.message}`;
  const written = parseJson(encodeResult(checked.data as Json)) as JsonObject;
  return sameJson(written.result as Json, result) ? undefined : "result changed";
}

/** A request that cannot be parsed is refused in the same words. */
function faultProblem(request: string, response: string, text: string): string | undefined {
  const answer = outcome(() => decodeResponse(bytes(response)));
  const understood = "error" in answer && answer.error instanceof LuxiProtocolError;
  if (!understood || (answer.error as Error).message !== text) return "response misread";
  const read = outcome(() => decodeRequest(bytes(request)));
  if (!("error" in read)) return "accepted";
  const own = read.error instanceof RequestFault ? read.error.message : String(read.error);
  return own === text ? undefined : own;
}

/** An error of the call is read and written as it is; some are found without a cluster. */
function errorProblem(request: string, response: string, result: Json): string | undefined {
  const answer = outcome(() => decodeResponse(bytes(response)));
  if (!("error" in answer && answer.error instanceof GanetiError)) return "response misread";
  if (!sameJson(encodedError(answer.error), result)) return "error changed";
  const read = outcome(() => decodeRequest(bytes(request)));
  if (!("error" in read)) return undefined;
  if (!(read.error instanceof GanetiError)) return `refused: ${read.error}`;
  const own = encodedError(read.error);
  return sameJson(own, result) ? undefined : `refused: ${writeJson(own)}`;
}

const encodedError = (error: GanetiError): Json =>
  (parseJson(encodeFailure(error)) as JsonObject).result as Json;

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

function outcome<T>(action: () => T): Outcome<T> {
  try {
    return { value: action() };
  } catch (error) {
    return { error };
  }
}

/** Arguments in the one form in which this package writes them, of the forms in which it reads them. */
function plainArguments(method: string, args: Json): Json {
  if (method === "QueryClusterInfo") return [];
  const list = args as readonly Json[];
  if (method.startsWith("Submit")) return withoutNulls(list);
  if (method === "WaitForJobChange") {
    const [id, fields, previous, serial, seconds] = list;
    const known = typeof serial === "number" ? serial : null;
    return [Number(id), fields, previous, known, Math.max(0, Math.round(Number(seconds)))] as Json;
  }
  if (method === "CancelJob" || method === "ArchiveJob") {
    return [Number(list[0]), ...list.slice(1)];
  }
  if (method === "QueryJobs" && Array.isArray(list[0]))
    return [list[0].map(Number), ...list.slice(1)];
  if (method === "AutoArchiveJobs") return list.map((value) => (value === 1.5 ? 2 : value));
  if (method === "SetWatcherPause") return [typeof list[0] === "number" ? list[0] : null];
  return list;
}

/** Null stands for an absent parameter of an opcode. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value) || value.OP_ID === undefined) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(entries.map(([key, one]) => [key, withoutNulls(one)]));
}
