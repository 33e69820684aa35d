/** Opcodes of submissions: checked whole before any of them is stored. */
import {
  compactJson,
  decodeOpcode,
  isJsonObject,
  isOpcodeId,
  type Json,
  type JsonObject,
  type OpcodeId,
  opcodeCatalog,
  quotedList,
} from "@ganeti-ts/protocol";
import * as z from "zod";
import { dependsFault, fault, reasonFault } from "./arguments.js";

/**
 * An opcode as its sender gave it, without the parameters that are null where null stands for "not
 * given": every parameter that may be absent. `decodeOpcode` of `@ganeti-ts/protocol` accepts it.
 */
export type OpcodeArgument = JsonObject & { readonly OP_ID: OpcodeId };

export const OpcodeArgument = z.unknown().transform((value, context): OpcodeArgument => {
  const read = readOpcodeArgument(value);
  if (typeof read === "string") return fault(context, read);
  if (read instanceof Refused) {
    return fault(context, read.problem, ["OpPrereqError", [read.problem, "wrong_input"]]);
  }
  return read;
});

/**
 * A value of the right type that the parameter cannot have. Ganeti accepts such an opcode, and its job
 * fails with this text.
 */
class Refused {
  constructor(readonly problem: string) {}
}

/** The opcode, or Ganeti's text for what is wrong with it. */
function readOpcodeArgument(value: unknown): OpcodeArgument | Refused | string {
  if (!isJsonObject(value)) return "Unable to read JSObject";
  const keys = Object.keys(value);
  const id = value.OP_ID;
  if (id === undefined) return missing("OP_ID", keys);
  if (!isOpcodeId(id)) return `Unknown opcode ${typeof id === "string" ? id : compactJson(id)}`;
  const { shape } = opcodeCatalog[id].schema as { shape: Readonly<Record<string, z.ZodType>> };
  const unknown = keys.filter((key) => !Object.hasOwn(shape, key));
  if (unknown.length > 0) {
    const allowed = quotedList(Object.keys(shape).toSorted());
    return `Superfluous dictionary keys: ${quotedList(unknown)}, but only ${allowed} allowed.`;
  }
  // Unlike all other common parameters it has no default.
  if (value.reason === undefined) return missing("reason", keys);
  const opcode = present(value, shape) as OpcodeArgument;
  const common = commonFault(value);
  if (common !== undefined) return common;
  const read = decodeOpcode(opcode);
  if (read.ok) return opcode;
  const name = /^Parameter '\w+\.(\w+)'/.exec(read.problem)?.[1];
  if (name === undefined) return read.problem;
  return parameterFault(name, shape[name], value) ?? new Refused(read.problem);
}

const missing = (key: string, keys: readonly string[]) =>
  `key '${key}' not found, object contains only ${quotedList(keys)}`;

/** Opcodes may contain opcodes (`OP_INSTANCE_MULTI_ALLOC`), for which the same holds. */
function present(value: JsonObject, shape: Readonly<Record<string, z.ZodType>>): JsonObject {
  const entries = Object.entries(value)
    .filter(([name, one]) => one !== null || shape[name]?.safeParse(undefined).success !== true)
    .map(([name, one]) => [name, Array.isArray(one) ? one.map(presentInside) : one] as const);
  return Object.fromEntries(entries);
}

function presentInside(item: Json): Json {
  if (!isJsonObject(item) || !isOpcodeId(item.OP_ID)) return item;
  const { shape } = opcodeCatalog[item.OP_ID].schema;
  return present(item, shape as Readonly<Record<string, z.ZodType>>);
}

/** Faults of the parameters that all opcodes have, in Ganeti's words. */
function commonFault({ debug_level, priority, depends, reason }: JsonObject): string | undefined {
  if (typeof debug_level === "number" && debug_level < 0) {
    return `Can't parse value for 'debug_level': Invalid value for non-negative type '${debug_level}'`;
  }
  const isNumber = typeof priority === "number" || typeof priority === "bigint";
  if (isNumber && priority !== -10 && priority !== 0 && priority !== 10) {
    return `Can't parse value for 'priority': Invalid string value for type OpSubmitPriority: ${priority}`;
  }
  const wrongDepends =
    depends === undefined || depends === null ? undefined : dependsFault(depends);
  if (wrongDepends !== undefined) return `Can't parse value for 'depends': ${wrongDepends}`;
  const wrongReason = reasonFault(reason);
  return wrongReason === undefined ? undefined : `Can't parse value for 'reason': ${wrongReason}`;
}

/**
 * Ganeti names the type that a parameter has; the simple ones follow from the schema. Undefined if the
 * value is of the right type, or the type is none of these.
 */
function parameterFault(
  name: string,
  schema: z.ZodType | undefined,
  given: JsonObject,
): string | undefined {
  const fits = (value: Json) => schema?.safeParse(value).success === true;
  const value = given[name];
  const isNumber = typeof value === "number";
  const type =
    (fits(0.5) && !isNumber && "Unable to read Double") ||
    (fits(1) && !fits(0.5) && !Number.isInteger(value) && "Unable to read Int") ||
    (fits(true) && typeof value !== "boolean" && "Unable to read Bool") ||
    (fits([]) && !Array.isArray(value) && "Unable to read list") ||
    (fits("a") && typeof value !== "string" && "Unable to read String");
  return type === false ? undefined : `Can't parse value for '${name}': ${type}`;
}
