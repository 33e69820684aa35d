/** Query fields of the queue: jobs, locks and filter rules. */
import type { LockRow } from "@ganeti-ts/locking";
import type { FilterRule, JobId, Json } from "@ganeti-ts/protocol";
import { type FieldKind, normal } from "@ganeti-ts/query";
import { type Column, type Field, field, orAbsent, unavailable } from "./field.js";

/** A job's values by field; without values, a job that does not exist. */
export interface JobItem {
  readonly id: JobId;
  readonly values: ReadonlyMap<string, Json> | undefined;
}

const jobColumns: readonly Column[] = [
  ["status", "Status", "text", "Job status"],
  ["priority", "Priority", "number", "Current job priority (19 to -20)"],
  ["archived", "Archived", "bool", "Whether job is archived"],
  ["ops", "OpCodes", "other", "List of all opcodes"],
  ["opresult", "OpCode_result", "other", "List of opcodes results"],
  ["opstatus", "OpCode_status", "other", "List of opcodes status"],
  ["oplog", "OpCode_log", "other", "List of opcode output logs"],
  ["opstart", "OpCode_start", "other", "List of opcode start timestamps (before acquiring locks)"],
  [
    "opexec",
    "OpCode_exec",
    "other",
    "List of opcode execution start timestamps (after acquiring locks)",
  ],
  ["opend", "OpCode_end", "other", "List of opcode execution end timestamps"],
  ["oppriority", "OpCode_prio", "other", "List of opcode priorities"],
  ["summary", "Summary", "other", "List of per-opcode summaries"],
];

const jobTimes: readonly (readonly [name: string, title: string, doc: string])[] = [
  ["received_ts", "Received", "Timestamp of when job was received"],
  ["start_ts", "Start", "Timestamp of job start"],
  ["end_ts", "End", "Timestamp of job end"],
];

const jobField = ([name, title, kind, doc]: Column): Field<JobItem> => ({
  definition: { name, title, kind, doc },
  entry: ({ values }) =>
    values === undefined ? unavailable : orAbsent(values.get(name), "unavailable"),
});

export const jobFields: readonly Field<JobItem>[] = [
  field(["id", "ID", "number", "Job ID"], ({ id }) => id),
  ...jobColumns.map(jobField),
  ...jobTimes.map(
    ([name, title, doc]): Field<JobItem> => ({
      ...jobField([name, title, "other", `${doc} (tuple containing seconds and microseconds)`]),
      seenAs: "timestamp",
    }),
  ),
];

export const lockFields: readonly Field<LockRow>[] = [
  field(["name", "Name", "other", "Lock name"], ({ name }) => name),
  {
    definition: {
      name: "mode",
      title: "Mode",
      kind: "other",
      doc: "Mode in which the lock is currently acquired (exclusive or shared)",
    },
    entry: ({ mode }) => normal(mode),
  },
  field(["owner", "Owner", "other", "Current lock owner(s)"], ({ owner }) => owner),
  field(["pending", "Pending", "other", "Jobs waiting for the lock"], ({ pending }) => pending),
];

const filterColumns: readonly (readonly [
  name: Exclude<keyof FilterRule, symbol>,
  title: string,
  kind: FieldKind,
  doc: string,
])[] = [
  ["watermark", "Watermark", "other", "Highest job ID used at the time when the filter was added"],
  ["priority", "Priority", "other", "Filter priority"],
  ["predicates", "Predicates", "other", "List of filter predicates"],
  ["action", "Action", "other", "Filter action"],
  ["reason_trail", "ReasonTrail", "other", "Reason why this filter was added"],
  ["uuid", "UUID", "other", "Filter ID"],
];

export const filterFields: readonly Field<FilterRule>[] = filterColumns.map((column) =>
  field(column, (rule) => rule[column[0]]),
);
