/** Parameters of opcodes in request bodies. */
import type { OpcodeId, OpcodeInput } from "@ganeti-ts/protocol";

/** Parameters of every opcode: set through `Submission`, or not by clients. */
type Common = "OP_ID" | "dry_run" | "debug_level" | "priority" | "depends" | "comment" | "reason";

/** Parameters of an opcode, without those in path and query of its resource. */
export type ParametersOf<Id extends OpcodeId, Said extends string = never> = Omit<
  OpcodeInput<Id>,
  Common | Said
>;
