/** A job as the RAPI shows it. */
import * as z from "zod";
import { JobId } from "../jobs/job-id.js";
import { JobStatus } from "../jobs/status.js";
import { Timestamp } from "../jobs/timestamp.js";

export const RapiJob = z.object({
  id: JobId,
  status: JobStatus,
  /** One entry per opcode, as lists show it: `INSTANCE_MIGRATE(web1)`. */
  summary: z.array(z.string()),
  opstatus: z.array(JobStatus),
  received_ts: Timestamp.nullable(),
  start_ts: Timestamp.nullable(),
  end_ts: Timestamp.nullable(),
  /** The opcodes as they were submitted. Times in them have lost digits on the way through JSON. */
  ops: z.array(z.looseObject({ OP_ID: z.string() })),
  /** Of a single job, per opcode: its value, or of a failed one Ganeti's error: class and values. */
  opresult: z.array(z.unknown()).optional(),
  oplog: z.array(z.unknown()).optional(),
});
export type RapiJob = z.infer<typeof RapiJob>;

/** How the RAPI refuses: `message` says what is wrong, `explain` what the code means. */
export const RapiFault = z.object({ code: z.int(), message: z.string(), explain: z.string() });
export type RapiFault = z.infer<typeof RapiFault>;
