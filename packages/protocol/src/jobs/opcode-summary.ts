/** Short form of an opcode in lists: `INSTANCE_CREATE(web1)`. */
import { isOpcodeId, opcodeCatalog } from "../opcodes/catalog.js";
import { isJsonObject, type Json } from "./json-value.js";

/** For an invalid input: its `OP_ID` without `OP_`, or `INVALID_OP`. */
export function opcodeSummary(input: Json): string {
  if (!isJsonObject(input) || typeof input.OP_ID !== "string") return "INVALID_OP";
  const name = input.OP_ID.replace(/^OP_/, "");
  const id = `OP_${name}`;
  const shown = isOpcodeId(id) ? opcodeCatalog[id].shown : null;
  const value = shown === null ? undefined : input[shown];
  if (name === "TAGS_GET" && typeof value === "string") return `${name}(${tagKindText(value)})`;
  if (name === "TEST_ALLOCATOR") return `${name}(${value ?? "None"})`;
  if (typeof value === "number") return `${name}(${floatText(value)})`;
  return typeof value === "string" ? `${name}(${value})` : name;
}

// The name of the constructor in Haskell: TagKindInstance. A group is `nodegroup` on the wire.
function tagKindText(kind: string): string {
  const noun = kind === "nodegroup" ? "group" : kind;
  return `TagKind${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

// A duration is a float in Haskell's notation: 5 is 5.0, 0.01 is 1.0e-2.
function floatText(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 0.1 && size < 1e7)) return withPoint(String(value));
  const [mantissa = "", exponent] = value.toExponential().replace("+", "").split("e");
  return `${withPoint(mantissa)}e${exponent}`;
}

const withPoint = (text: string): string => (text.includes(".") ? text : `${text}.0`);
