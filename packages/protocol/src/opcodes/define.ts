/** How an opcode is defined: its own parameters, and those that all opcodes have. */
import * as z from "zod";
import { summaryParameter } from "../jobs/opcode-summary.js";
import { SubmitPriority } from "../jobs/priority.js";
import { ReasonTrail } from "../jobs/reason.js";
import { FinalStatus } from "../jobs/status.js";
import { flag, natural, whole } from "./values.js";

/** What every opcode can be given. */
const commonParameters = {
  /** Only the checks. Jobs show it if it was said. */
  dry_run: flag.optional(),
  debug_level: natural.default(0),
  priority: z
    .union([SubmitPriority, z.enum(["-10", "0", "10"]).transform(Number).pipe(SubmitPriority)])
    .default(0),
  /** Jobs that must have ended in one of these ways; a negative one counts back from this job. */
  depends: z
    .array(z.tuple([whole, z.array(FinalStatus)]))
    .nullable()
    .default(null),
  comment: z.string().nullable().default(null),
  reason: ReasonTrail.default([]),
};

/** Names of the parameters that every opcode has. */
export const commonNames: readonly string[] = Object.keys(commonParameters);

/** Strict; parameters in Ganeti's order, which decides the fault that is told of several. */
export const opcode = <Id extends string, Parameters extends z.core.$ZodLooseShape>(
  id: Id,
  parameters: Parameters,
) => ({
  schema: z.strictObject({ OP_ID: z.literal(id), ...parameters, ...commonParameters }),
  /** The parameter that lists show in parentheses. */
  summaryField: summaryParameter(id),
});
