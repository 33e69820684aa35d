/** Requests: bytes to a method with its arguments, and back. */
import {
  isJsonObject,
  type Json,
  JsonError,
  type JsonObject,
  parseJson,
  quoted,
  quotedList,
  spacedJson,
  writeAsciiJson,
} from "@ganeti-ts/protocol";
import type * as z from "zod";
import { GanetiError } from "./ganeti-error.js";
import type { Method } from "./methods/define.js";
import { type Arguments, isMethodName, luxiMethods, type MethodName } from "./methods/methods.js";
import { RequestFault } from "./request-fault.js";

/** The version that Ganeti 3.0's clients send, which is that of its configuration. */
export const protocolVersion = 3_000_000;

/** A method with its arguments. */
export type LuxiRequest = {
  [M in MethodName]: { readonly method: M; readonly args: Arguments<M> };
}[MethodName];

/**
 * The request in a message, without its end byte. The version is not compared, unknown keys are
 * ignored. Cost: the size of the message.
 * @throws RequestFault if it cannot be parsed, GanetiError if such a call is always refused
 */
export function decodeRequest(message: Uint8Array): LuxiRequest {
  const { method, args } = readCall(message);
  if (typeof method !== "string") {
    throw new RequestFault(
      "Unable to parse LUXI request method: Can't parse value for 'LuxiReq': Unable to read String",
    );
  }
  if (!isMethodName(method)) {
    throw new RequestFault(
      `Unable to parse LUXI request method: Invalid string value for type LuxiReq: ${quoted(method)}`,
    );
  }
  return { method, args: decodeArguments(method, args) } as LuxiRequest;
}

/** The two parts that every call of Ganeti's local sockets has. @throws RequestFault */
export function readCall(message: Uint8Array): { readonly method: Json; readonly args: Json } {
  const call = topLevel(message);
  for (const key of ["method", "args"]) {
    if (Object.hasOwn(call, key)) continue;
    const keys = quotedList(Object.keys(call));
    throw new RequestFault(`key '${key}' not found, object contains only ${keys}`);
  }
  return { method: call.method as Json, args: call.args as Json };
}

function topLevel(message: Uint8Array): JsonObject {
  const introduction = "parsing top-level JSON message";
  let value: Json;
  try {
    value = parseJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(message));
  } catch (error) {
    if (!(error instanceof JsonError || error instanceof TypeError)) throw error;
    const first = message.find((byte) => byte > 0x20);
    const why =
      first === 0x7b || first === 0x5b
        ? error instanceof JsonError
          ? error.message
          : "the text is not UTF-8"
        : "a JSON text a serialized object or array at the top level.";
    throw new RequestFault(`${introduction}: Invalid JSON: ${why}`, { cause: error });
  }
  if (isJsonObject(value)) return value;
  if (Array.isArray(value)) throw new RequestFault(`${introduction}: Unable to read JSObject`);
  throw new RequestFault(
    `${introduction}: Invalid JSON: a JSON text a serialized object or array at the top level.`,
  );
}

/**
 * The arguments of a method, by name, from the list on the wire.
 * @throws RequestFault, GanetiError
 */
function decodeArguments<M extends MethodName>(name: M, given: Json): Arguments<M> {
  const definition: Method = luxiMethods[name];
  const parameters = Object.entries(definition.parameters);
  // Ganeti looks at the arguments of a call without parameters as little.
  if (parameters.length === 0) return {} as Arguments<M>;
  const { required = parameters.length, arityFault = "Unable to read 1 tuple" } = definition;
  const list = Array.isArray(given) ? (given as readonly Json[]) : undefined;
  if (list === undefined || list.length < required || list.length > parameters.length) {
    if (name === "WaitForJobChange") throw new RequestFault(arityFault);
    throw unreadable(definition, given, arityFault);
  }
  const args: Record<string, unknown> = {};
  for (const [index, [parameter, schema]] of parameters.entries()) {
    const read = schema.safeParse(list[index]);
    if (!read.success) throw argumentFault(name, parameter, given, list[index], read.error);
    args[parameter] = read.data;
  }
  return args as Arguments<M>;
}

function argumentFault(
  name: MethodName,
  parameter: string,
  given: Json,
  value: Json | undefined,
  error: z.ZodError,
): Error {
  const definition: Method = luxiMethods[name];
  const [issue] = error.issues;
  const refusal = issue?.code === "custom" ? issue.params?.refusal : undefined;
  if (Array.isArray(refusal)) return new GanetiError(refusal[0], refusal[1]);
  const why = issue?.message ?? "not readable";
  if (definition.submits && issue !== undefined && issue.path.length > 0) {
    return new RequestFault(`${name}: ${why}`);
  }
  if (name === "WaitForJobChange") return new RequestFault(`Parsing ${name} message: ${why}`);
  const alone = definition.quotedAlone?.includes(parameter) === true;
  return unreadable(definition, alone ? (value as Json) : given, why);
}

function unreadable(definition: Method, value: Json, why: string): RequestFault {
  const shown = `Cannot convert value '${shortened(spacedJson(value))}', error: `;
  const { alternative } = definition;
  return new RequestFault(shown + why + (alternative ? `; ${shown}${alternative}` : ""));
}

const shownMax = 1000;
const shortened = (text: string) =>
  text.length > shownMax ? `${text.slice(0, shownMax)}...` : text;

/** The positional arguments of a method. */
function encodeArguments<M extends MethodName>(name: M, args: Arguments<M>): Json[] {
  const values: Readonly<Record<string, unknown>> = args;
  return Object.keys(luxiMethods[name].parameters).map((parameter) => values[parameter] as Json);
}

/** The text of a request, without its end byte, as Ganeti's Python clients send it but for blanks. */
export const encodeRequest = <M extends MethodName>(method: M, args: Arguments<M>): string =>
  writeAsciiJson({ method, args: encodeArguments(method, args), version: protocolVersion });
