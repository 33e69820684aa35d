/** Opcode with its parameters, and the fields common to all opcodes. */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "./json-value.js";
import { invalidPriority, SubmitPriority } from "./priority.js";
import { ReasonTrail } from "./reason.js";
import { FinalStatus } from "./status.js";

/** `[job, statuses]`: the job must have ended in one of them; an empty list means success or error. */
export const Dependency = z.tuple([z.int(), z.array(FinalStatus).readonly()]).readonly();
export type Dependency = z.infer<typeof Dependency>;

/**
 * A submitted opcode. Parameters of the operation itself are not checked. A negative job in `depends` is
 * relative: -1 is the previous entry of a submission of several.
 */
export const Opcode = z.looseObject({
  OP_ID: z
    .string()
    .max(200)
    .regex(/^[A-Za-z][\w.:-]*$/, "is no opcode name"),
  dry_run: z.boolean().optional(),
  debug_level: z.int().nonnegative().optional(),
  priority: SubmitPriority.default(0),
  depends: z.array(Dependency).readonly().nullable().default(null),
  comment: z.string().nullable().default(null),
  reason: ReasonTrail.default([]),
});
export type Opcode = z.infer<typeof Opcode> & JsonObject;

/** An opcode, or a description of its fault in one line. */
type OpcodeReading =
  | { readonly ok: true; readonly opcode: Opcode }
  | { readonly ok: false; readonly problem: string };

/** Validates one opcode from outside. */
export function readOpcode(value: unknown): OpcodeReading {
  if (!isJsonObject(value)) return { ok: false, problem: "Opcode is not a dictionary" };
  const read = Opcode.safeParse(value);
  if (read.success) return { ok: true, opcode: read.data as Opcode };
  const [issue] = read.error.issues;
  const path = issue?.path.join(".") ?? "";
  if (path === "priority") return { ok: false, problem: invalidPriority(value.priority) };
  return { ok: false, problem: `Opcode parameter '${path}' is invalid: ${issue?.message}` };
}
