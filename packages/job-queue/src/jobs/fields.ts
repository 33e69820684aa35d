/** Fields of jobs, for lists and for waiting for changes. */
import {
  isJsonObject,
  type Job,
  type JobId,
  type JobStatus,
  type Json,
  type LogEntry,
  opcodeSummary,
  type QueuedOpcode,
  type Timestamp,
} from "@ganeti-ts/protocol";
import { QueueError } from "../queue-error.js";
import { jobPriorityOf, jobStatusOf } from "./job-status.js";

/** The value that each field of a job has. */
export interface JobFieldValues {
  readonly id: JobId;
  readonly status: JobStatus;
  readonly priority: number;
  readonly archived: boolean;
  /** One entry per opcode in each of these: what was submitted, the result, the status, … */
  readonly ops: readonly Json[];
  readonly opresult: readonly Json[];
  readonly opstatus: readonly JobStatus[];
  readonly oplog: readonly (readonly LogEntry[])[];
  readonly opstart: readonly (Timestamp | null)[];
  readonly opexec: readonly (Timestamp | null)[];
  readonly opend: readonly (Timestamp | null)[];
  readonly oppriority: readonly number[];
  /** `INSTANCE_CREATE(web1)` */
  readonly summary: readonly string[];
  readonly received_ts: Timestamp | null;
  readonly start_ts: Timestamp | null;
  readonly end_ts: Timestamp | null;
}

/**
 * A row with the values of `Fields`, each with its type if the fields are known at compile time:
 * `query(ids, ["id", "status"])` gives rows of `readonly [JobId, JobStatus]`.
 */
export type JobValues<Fields extends readonly string[]> = number extends Fields["length"]
  ? readonly Json[]
  : {
      readonly [At in keyof Fields]: Fields[At] extends keyof JobFieldValues
        ? JobFieldValues[Fields[At]]
        : Json;
    };

type Reader = (job: Job, archived: boolean) => Json;

/** Cache of summaries by input: a job of many opcodes is shown after each change of one of them. */
const summaries = new WeakMap<object, string>();

function summaryOf(input: Json): string {
  if (!isJsonObject(input)) return opcodeSummary(input);
  const known = summaries.get(input);
  if (known !== undefined) return known;
  const summary = opcodeSummary(input);
  summaries.set(input, summary);
  return summary;
}

const ofEach =
  (read: (opcode: QueuedOpcode) => Json): Reader =>
  (job) =>
    job.opcodes.map(read);

const readers: Readonly<Record<keyof JobFieldValues, Reader>> = {
  id: (job) => job.id,
  status: (job) => jobStatusOf(job.opcodes),
  priority: (job) => jobPriorityOf(job.opcodes),
  archived: (_, archived) => archived,
  ops: ofEach(({ input }) => input),
  opresult: ofEach(({ result }) => result),
  opstatus: ofEach(({ status }) => status),
  oplog: ofEach(({ log }) => log),
  opstart: ofEach(({ started }) => started),
  opexec: ofEach(({ executed }) => executed),
  opend: ofEach(({ ended }) => ended),
  oppriority: ofEach(({ priority }) => priority),
  summary: ofEach(({ input }) => summaryOf(input)),
  received_ts: (job) => job.received,
  start_ts: (job) => job.started,
  end_ts: (job) => job.ended,
};

/** @throws QueueError that names every unknown field */
export function checkFields(fields: readonly string[]): void {
  const unknown = fields.filter((field) => !Object.hasOwn(readers, field));
  if (unknown.length === 0) return;
  throw new QueueError("wrong_input", `Unknown output fields selected: ${unknown.join(", ")}`);
}

/** The values of known fields. */
export const fieldValues = (job: Job, archived: boolean, fields: readonly string[]): Json[] =>
  fields.map((field) => readers[field as keyof JobFieldValues](job, archived));
