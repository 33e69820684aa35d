/** Stored job: the document of a `job-<id>` file, and the model used by code. */
import * as z from "zod";
import { JobId } from "./job-id.js";
import { isJsonObject, type Json, type JsonObject } from "./json-value.js";
import { parseJson, writeJson } from "./lossless-json.js";
import type { Dependency } from "./opcode.js";
import { Priority } from "./priority.js";
import { ReasonTrail } from "./reason.js";
import { JobStatus } from "./status.js";
import { Timestamp } from "./timestamp.js";

/**
 * Types of log entries. `message-list` occurs only in calls; `created`, which is ours, reports the UUID of a new
 * object.
 */
export const LogType = z.enum([
  ...(["message", "remote-import", "jqueue-test", "delay-test", "created"] as const),
]);
export type LogType = z.infer<typeof LogType>;

const AnyJson = z.custom<Json>((value) => value !== undefined);

/** `[serial, time, type, message]`; serials count 1, 2, 3… over the whole job. */
export const LogEntry = z.tuple([z.int().positive(), Timestamp, z.string(), AnyJson]).readonly();
export type LogEntry = z.infer<typeof LogEntry>;

/** One opcode in `ops`. */
export const WireQueuedOpcode = z.object({
  input: AnyJson,
  status: JobStatus,
  result: AnyJson.default(null),
  log: z.array(LogEntry).default([]),
  priority: Priority.default(0),
  start_timestamp: Timestamp.nullable().default(null),
  exec_timestamp: Timestamp.nullable().default(null),
  end_timestamp: Timestamp.nullable().default(null),
});
export type WireQueuedOpcode = z.infer<typeof WireQueuedOpcode>;

/** A whole `job-<id>` file. */
export const WireJob = z.object({
  id: JobId,
  ops: z.array(WireQueuedOpcode).min(1),
  received_timestamp: Timestamp.nullable().default(null),
  start_timestamp: Timestamp.nullable().default(null),
  end_timestamp: Timestamp.nullable().default(null),
  livelock: z.string().optional(),
  process_id: z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)]).optional(),
});
export type WireJob = z.infer<typeof WireJob>;

/** An opcode of a job, with its status, result and log. */
export interface QueuedOpcode {
  /** The opcode as submitted; raw JSON if it is invalid. Only its `reason` is ever extended. */
  readonly input: Json;
  readonly status: JobStatus;
  /** null until the opcode has ended; then its value, `[class, [argument…]]`, or a message. */
  readonly result: Json;
  readonly log: readonly LogEntry[];
  /** Initially from the input; lower numbers are served first. */
  readonly priority: number;
  /** Time at which its processing started, before it acquired its locks. */
  readonly started: Timestamp | null;
  /** Time at which it had its locks and was executed. */
  readonly executed: Timestamp | null;
  readonly ended: Timestamp | null;
}

/** `ended` is set exactly when the job is finalized. */
export interface Job {
  readonly id: JobId;
  readonly opcodes: readonly QueuedOpcode[];
  readonly received: Timestamp | null;
  readonly started: Timestamp | null;
  readonly ended: Timestamp | null;
  /** The present or last worker of the job, with its fencing number: `3:88`. Absent before the first. */
  readonly livelock?: string;
  readonly processId?: number;
}

/** The text of a `job-<id>` file; nanoseconds are written in full. */
export const writeJob = (job: Job): string => writeJson(jobDocument(job));

/** The document of a job. `logs: false` omits logs that are stored elsewhere. */
export function jobDocument(job: Job, { logs = true } = {}): JsonObject {
  return {
    id: job.id,
    ops: job.opcodes.map((opcode) => opcodeDocument(opcode, { logs })),
    received_timestamp: job.received,
    start_timestamp: job.started,
    end_timestamp: job.ended,
    ...(job.livelock === undefined ? {} : { livelock: job.livelock }),
    ...(job.processId === undefined ? {} : { process_id: job.processId }),
  };
}

/** The document of one opcode, as in `ops` of its job. */
const opcodeDocument = (opcode: QueuedOpcode, { logs = true } = {}): JsonObject => ({
  input: opcode.input,
  status: opcode.status,
  result: opcode.result,
  log: logs ? opcode.log : [],
  priority: opcode.priority,
  start_timestamp: opcode.started,
  exec_timestamp: opcode.executed,
  end_timestamp: opcode.ended,
});

/** Parses and validates the text of a job file. Throws JsonError or ZodError. */
export const readJob = (text: string): Job => jobOf(WireJob.parse(parseJson(text)));

/** Converts a document known to be valid, such as one of our own store, without checks. */
export const jobOf = (wire: WireJob): Job => ({
  id: wire.id,
  opcodes: wire.ops.map(queuedOpcodeOf),
  received: wire.received_timestamp,
  started: wire.start_timestamp,
  ended: wire.end_timestamp,
  ...(wire.livelock === undefined ? {} : { livelock: wire.livelock }),
  ...(wire.process_id === undefined ? {} : { processId: wire.process_id }),
});

/** Converts an opcode's document known to be valid, without checks. */
export const queuedOpcodeOf = (wire: WireQueuedOpcode): QueuedOpcode => ({
  input: wire.input,
  status: wire.status,
  result: wire.result,
  log: wire.log,
  priority: wire.priority,
  started: wire.start_timestamp,
  executed: wire.exec_timestamp,
  ended: wire.end_timestamp,
});

/** The reason trail of an opcode; empty if the input is not an opcode. */
export const reasonsOf = ({ input }: QueuedOpcode): ReasonTrail =>
  (isJsonObject(input) && ReasonTrail.safeParse(input.reason).data) || [];

/** The dependencies of an opcode; empty if the input is not an opcode. */
export function dependenciesOf({ input }: QueuedOpcode): readonly Dependency[] {
  if (!isJsonObject(input) || !Array.isArray(input.depends)) return [];
  return input.depends as unknown as readonly Dependency[];
}
