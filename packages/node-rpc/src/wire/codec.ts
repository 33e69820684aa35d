/** Bodies of requests and answers: a call's arguments and answer as JSON, and back. */
import {
  failed,
  type NodeAnswer,
  type NodeCallArguments,
  type NodeCallName,
  type NodeCallValue,
} from "@ganeti-ts/node-calls";
import { catalogEntry } from "@ganeti-ts/node-calls/catalog";
import { type Json, writeAsciiJson } from "@ganeti-ts/protocol";
import type { WireContext } from "./context.js";
import { WireError } from "./format.js";
import { wireOf } from "./wires.js";

/** The body of a request: a list, or a dictionary for `instance_console_info`. */
export const encodeArguments = <Name extends NodeCallName>(
  name: Name,
  args: NodeCallArguments<Name>,
  context: WireContext,
): Json => wireOf(name).arguments.encode(args, context);

/** @throws WireError for arguments of another form, or with unknown keys */
export function decodeArguments<Name extends NodeCallName>(
  name: Name,
  json: Json,
  context: WireContext,
): NodeCallArguments<Name> {
  return checked(name, "arguments", wireOf(name).arguments.decode(json, context));
}

/** `[true, value]`, or `[false, message]`. */
export function encodeAnswer<Name extends NodeCallName>(
  name: Name,
  answer: NodeAnswer<NodeCallValue<Name>>,
  context: WireContext,
): Json {
  if (!answer.ok) return [false, answer.message];
  return [true, wireOf(name).value.encode(answer.value, context)];
}

/** Reads an answer. Failures have the texts of Ganeti's master, if it has one for them. */
export function decodeAnswer<Name extends NodeCallName>(
  name: Name,
  json: Json,
  context: WireContext,
): NodeAnswer<NodeCallValue<Name>> {
  if (!Array.isArray(json)) {
    return failed(`RPC layer error: invalid result type (<class '${pythonType(json)}'>)`);
  }
  if (json.length !== 2) {
    return failed(`RPC layer error: invalid result length (${json.length}), expected 2`);
  }
  const [success, payload] = json as [Json, Json];
  if (success !== true) return decodeFailure(payload);
  try {
    const value = wireOf(name).value.decode(payload, context);
    return { ok: true, value: checked(name, "value", value) };
  } catch (error) {
    if (error instanceof WireError) return failed(`RPC layer error: ${name}: ${error.message}`);
    throw error;
  }
}

function decodeFailure(payload: Json): NodeAnswer<never> {
  if (payload === null || payload === "") return failed("No error information");
  return failed(typeof payload === "string" ? payload : writeAsciiJson(payload));
}

/** The value, checked by the schema in the catalog. */
function checked<T>(name: NodeCallName, part: "arguments" | "value", value: T): T {
  const result = catalogEntry(name)[part].safeParse(value);
  if (result.success) return value;
  const [issue] = result.error.issues;
  throw new WireError(`${part} at ${issue?.path.join(".") || "the top"}: ${issue?.message}`);
}

function pythonType(json: Json): string {
  if (json === null) return "NoneType";
  if (typeof json === "object") return "dict";
  if (typeof json === "string") return "str";
  if (typeof json === "boolean") return "bool";
  return Number.isInteger(Number(json)) ? "int" : "float";
}
