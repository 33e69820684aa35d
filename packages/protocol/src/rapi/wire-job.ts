/** Job in the RAPI. */
import * as z from "zod";
import { JobId } from "../jobs/job-id.js";
import { JobStatus } from "../jobs/status.js";
import { Timestamp } from "../jobs/timestamp.js";

/** Schema of a job as the remote API shows it. */
export const RapiJob = z.object({
  id: JobId,
  status: JobStatus,
  /** One entry per opcode, as in lists: `INSTANCE_MIGRATE(web1)`. */
  summary: z.array(z.string()),
  opstatus: z.array(JobStatus),
  received_ts: Timestamp.nullable(),
  start_ts: Timestamp.nullable(),
  end_ts: Timestamp.nullable(),
  /** The opcodes as submitted. Times in them have lost digits in JSON. */
  ops: z.array(z.looseObject({ OP_ID: z.string() })),
  /** Only for a single job, per opcode: its value, or for a failed one Ganeti's error class and arguments. */
  opresult: z.array(z.unknown()).optional(),
  oplog: z.array(z.unknown()).optional(),
});
export type RapiJob = z.infer<typeof RapiJob>;

/** A refusal by the RAPI: `message` describes the fault, `explain` the meaning of the code. */
export const RapiFault = z.object({ code: z.int(), message: z.string(), explain: z.string() });
export type RapiFault = z.infer<typeof RapiFault>;
