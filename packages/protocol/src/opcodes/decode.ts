/** Decoder for an opcode from outside: validated with defaults, or the fault in Ganeti's words. */
import { isJsonObject } from "../jobs/json-value.js";
import { withoutBlanks } from "./blanks.js";
import { type AnyOpcode, isOpcodeId, type OpcodeId, opcodeCatalog } from "./catalog.js";
import { commonNames } from "./define.js";

/**
 * | `fault` | meaning |
 * | --- | --- |
 * | `shape` | not an object, or an unknown operation |
 * | `unsupported` | a parameter that the operation does not have |
 * | `parameter` | an invalid value, or a missing one |
 */
type OpcodeDecoding =
  | { readonly ok: true; readonly opcode: AnyOpcode }
  | {
      readonly ok: false;
      readonly fault: "shape" | "unsupported" | "parameter";
      readonly problem: string;
    };

/** Reports the first of several faults: unknown parameters, then the others in the order of definition. */
export function decodeOpcode(given: unknown): OpcodeDecoding {
  if (!isJsonObject(given)) return refused("shape", "Opcode is not a dictionary");
  const id = given.OP_ID;
  if (id === undefined) return refused("shape", "Invalid data to LoadOpcode, missing OP_ID");
  if (!isOpcodeId(id)) {
    return refused("shape", `Invalid data to LoadOpCode: OP_ID ${String(id)} unsupported`);
  }
  const { schema } = opcodeCatalog[id];
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(schema.shape, name));
  if (unknown !== undefined) {
    return refused(
      "unsupported",
      `Object ${className(id)} doesn't support the parameter '${unknown}'`,
    );
  }
  const read = schema.safeParse(withoutBlanks(schema.shape, given));
  if (read.success) return { ok: true, opcode: read.data as AnyOpcode };
  const faults = new Set(read.error.issues.map(({ path }) => path[0]));
  const first = parameterNames(id).find((name) => faults.has(name));
  return refused("parameter", `Parameter '${id}.${first}' fails validation`);
}

/** Parameters of the operation, its own first. */
const parameterNames = (id: OpcodeId): readonly string[] => {
  const names = Object.keys(opcodeCatalog[id].schema.shape).filter((name) => name !== "OP_ID");
  const own = names.filter((name) => !commonNames.includes(name));
  return [...own, ...commonNames];
};

/** `OpInstanceCreate`, the name of `OP_INSTANCE_CREATE` in error texts. */
const className = (id: OpcodeId): string =>
  id
    .split("_")
    .map((word) => `${word.charAt(0)}${word.slice(1).toLowerCase()}`)
    .join("");

const refused = (
  fault: "shape" | "unsupported" | "parameter",
  problem: string,
): OpcodeDecoding => ({ ok: false, fault, problem });
