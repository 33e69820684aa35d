/** Opcodes of what the command line said. */
import type { Json } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "./cluster.js";

/** An opcode with the parameters that were given; undefined is not given. */
export function opcode(
  OP_ID: string,
  parameters: Readonly<Record<string, Json | undefined>>,
): OpcodeJson {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return { OP_ID, ...(Object.fromEntries(given) as Record<string, Json>) };
}

/** True if the flag was given, else undefined: the opcode's default stays. */
export const ifSet = (flag: boolean): true | undefined => (flag ? true : undefined);

/** False if the flag was given, else undefined. */
export const ifUnset = (flag: boolean): false | undefined => (flag ? false : undefined);
