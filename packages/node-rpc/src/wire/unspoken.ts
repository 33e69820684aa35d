/**
 * Calls that this package does not put on the wire, each with the reason. A call of one of them is answered
 * by a failure without contacting the node.
 */
export const unspokenCalls = {
  export_info: "the description is an INI file, for which there is no reader here",
  finalize_export: "a node makes the description from filled parameters, and does not receive one",
} as const;
export type UnspokenCall = keyof typeof unspokenCalls;
