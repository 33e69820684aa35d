/** Definition of an opcode: its own parameters, and those common to all opcodes. */
import * as z from "zod";
import { SubmitPriority } from "../jobs/priority.js";
import { ReasonTrail } from "../jobs/reason.js";
import { FinalStatus } from "../jobs/status.js";
import { flag, natural, whole } from "./values.js";

/** Parameters of every opcode. */
const commonParameters = {
  /** Only runs the checks. Jobs show it if it was given. */
  dry_run: flag.optional(),
  debug_level: natural.default(0),
  priority: z
    .union([SubmitPriority, z.enum(["-10", "0", "10"]).transform(Number).pipe(SubmitPriority)])
    .default(0),
  /** Jobs that must have ended in one of these ways; a negative id is relative to this job. */
  depends: z
    .array(z.tuple([whole, z.array(FinalStatus)]))
    .nullable()
    .default(null),
  comment: z.string().nullable().default(null),
  reason: ReasonTrail.default([]),
};

/** Names of the parameters that every opcode has. */
export const commonNames: readonly string[] = Object.keys(commonParameters);

/**
 * Strict; parameters are in Ganeti's order, which decides the reported fault if there are several.
 * @param shown the parameter that lists show in parentheses: `INSTANCE_CREATE(web1)`. Source: Ganeti, OpCodes.hs, `opSummaryVal`
 */
export const opcode = <Id extends string, Parameters extends z.core.$ZodLooseShape>(
  id: Id,
  shown: (keyof NoInfer<Parameters> & string) | null,
  parameters: Parameters,
) => ({
  schema: z.strictObject({ OP_ID: z.literal(id), ...parameters, ...commonParameters }),
  shown,
});
