/** Parameters of operations as bodies have them. */
import type { OpcodeId, OpcodeInput } from "@ganeti-ts/protocol";

/** What every operation has: said by `Submission`, or not by clients. */
type Common = "OP_ID" | "dry_run" | "debug_level" | "priority" | "depends" | "comment" | "reason";

/** Those of an opcode, without what path and query of its resource say. */
export type ParametersOf<Id extends OpcodeId, Said extends string = never> = Omit<
  OpcodeInput<Id>,
  Common | Said
>;
