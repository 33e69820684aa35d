/** Opcodes built from command lines. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "./cluster.js";
import type { OptionValues } from "./invocation.js";

/** The parameters without undefined ones. */
export const given = (parameters: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => value !== undefined),
  ) as JsonObject;

/** An opcode with the given parameters, without undefined ones. */
export function opcode(
  OP_ID: string,
  parameters: Readonly<Record<string, Json | undefined>>,
): OpcodeJson {
  return { OP_ID, ...given(parameters) };
}

/**
 * Parameters that are called like options: `node_group` for `--node-group`. Options that are not
 * given are left out.
 */
export const fromOptions = (options: OptionValues, ...names: readonly string[]): JsonObject =>
  given(Object.fromEntries(names.map((name) => [name.replaceAll("-", "_"), options.value(name)])));

/** True if the flag was given, else undefined: the opcode's default stays. */
export const ifSet = (flag: boolean): true | undefined => (flag ? true : undefined);

/** False if the flag was given, else undefined. */
export const ifUnset = (flag: boolean): false | undefined => (flag ? false : undefined);
