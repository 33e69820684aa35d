/** Opcodes of what the command line said. */
import type { Json } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "./cluster.js";
import { given } from "./opcodes/given.js";

/** An opcode with the parameters that were given; undefined is not given. */
export function opcode(
  OP_ID: string,
  parameters: Readonly<Record<string, Json | undefined>>,
): OpcodeJson {
  return { OP_ID, ...given(parameters) };
}

/** True if the flag was given, else undefined: the opcode's default stays. */
export const ifSet = (flag: boolean): true | undefined => (flag ? true : undefined);

/** False if the flag was given, else undefined. */
export const ifUnset = (flag: boolean): false | undefined => (flag ? false : undefined);
