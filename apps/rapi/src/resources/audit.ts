/** `/ganeti-ts/1/audit`: users and their actions, from the reason trails of all jobs, including archived ones, and from records. */
import type { StoredAccess } from "@ganeti-ts/job-queue";
import { isJsonObject, JobId, type Json, Timestamp } from "@ganeti-ts/protocol";
import * as z from "zod";
import { userSource } from "../audit/user-trail.js";
import { HttpFault } from "../http/fault.js";
import type { World } from "../world.js";
import { faultOfQueue } from "./queue-fault.js";
import { type Call, type Resource, resource } from "./resource.js";

const JobEntry = z.object({
  kind: z.literal("job"),
  ...{ id: JobId, status: z.string(), summary: z.array(z.string()), archived: z.boolean() },
  ...{ received_ts: Timestamp.nullable(), end_ts: Timestamp.nullable() },
  /** The user whose request began it; null for jobs of the local sockets, and of the server itself. */
  user: z.string().nullable(),
  /** Reasons given by users, oldest first. */
  why: z.array(z.string()),
  /** Jobs that led to this one, from the first to the one that submitted it. */
  causes: z.array(JobId),
  reasons: z.array(z.object({ source: z.string(), text: z.string(), time: z.number() })),
});
type JobEntry = z.infer<typeof JobEntry>;

/** A login, a cancellation, a change of a filter rule, or another action that is not a job. */
const ActionEntry = z.object({
  kind: z.literal("action"),
  id: z.int(),
  time: Timestamp,
  /** Null for the local sockets; after a failed login any text. */
  user: z.string().nullable(),
  /** Address of the client; null for the local sockets. */
  address: z.string().nullable(),
  action: z.string(),
  /** The affected job, rule or other object; may be empty. */
  object: z.string(),
  /** Whether it took effect. */
  done: z.boolean(),
  text: z.string(),
});
type ActionEntry = z.infer<typeof ActionEntry>;

type Entry = JobEntry | ActionEntry;

const Audit = z.object({
  entries: z.array(z.discriminatedUnion("kind", [JobEntry, ActionEntry])),
  /** The argument `before` of the next request; null at the end. */
  next: z.string().nullable(),
  looked: z.int(),
  /** The highest job id at the time of this answer. */
  last: JobId,
});

/** Maximum numbers of entries in one answer, and of jobs and records examined for it. */
const entriesMax = 200;
const lookedMax = 4000;
const readAtOnce = 250;

export const auditResources: readonly Resource[] = [
  resource("/ganeti-ts/1/audit", {
    GET: {
      summary: "Jobs and other actions with user, time and reasons, newest first",
      access: "read",
      query: {
        user: "Part of the name of the user who sent the request",
        source: "Part of a reason's source: only jobs",
        text: "Part of a reason's text, of a job's summary, or of an action",
        object: "Name of an instance, node or other object that it touched",
        cause: "Id of a job: it, and all jobs that it led to",
        from: "Seconds since the epoch: submitted at that time or later",
        to: "Seconds since the epoch: submitted before that time",
        before: "`next` of the last answer, or the id of a job: only older ones",
      },
      answer: Audit,
      handle: audit,
    },
  }),
];

interface Wanted {
  readonly user: string | undefined;
  readonly source: string | undefined;
  readonly text: string | undefined;
  readonly object: string | undefined;
  readonly cause: number | undefined;
  readonly from: number;
  readonly to: number;
}

const wantedOf = ({ query }: Call): Wanted => {
  const lower = (name: string) => query.text(name)?.toLowerCase();
  return {
    ...{ user: lower("user"), source: lower("source"), text: lower("text") },
    object: lower("object"),
    cause: query.has("cause") ? query.integer("cause") : undefined,
    from: query.integer("from", 0),
    to: query.integer("to", Number.MAX_SAFE_INTEGER),
  };
};

const fields = ["status", "summary", "archived", "received_ts", "end_ts", "ops", "opresult"];

/** Cost: O(jobs and records examined), at most `lookedMax`, however many there are. */
async function audit(call: Call, world: World): Promise<Json> {
  const wanted = wantedOf(call);
  try {
    await world.queue.live();
    const last = world.queue.lastId;
    const { job, record } = placeOf(call.query.text("before"), last);
    const ofJobs = jobsBefore(world, job);
    const areJobsOnly = wanted.cause !== undefined || wanted.source !== undefined;
    const ofRecords = areJobsOnly ? none() : recordsBefore(world, { job, record });
    const entries: Entry[] = [];
    const left = { job, record: record ?? recordsEnd };
    let looked = 0;
    for await (const one of merged(ofJobs, ofRecords)) {
      // A job can only be the cause of later ones.
      const isBeyondCause = one.row !== undefined && one.id < (wanted.cause ?? 0);
      if (one.seconds < wanted.from || isBeyondCause) return { entries, next: null, looked, last };
      if (entries.length === entriesMax || looked === lookedMax || call.signal.aborted) {
        return { entries, next: `${left.job}.${left.record}`, looked, last };
      }
      looked += 1;
      left[one.row === undefined ? "record" : "job"] = one.id;
      const entry = one.row === undefined ? one.entry : entryOf(one.id, one.row);
      if (isWanted(entry, one, wanted)) entries.push(entry);
    }
    return { entries, next: null, looked, last };
  } catch (error) {
    throw faultOfQueue(error);
  }
}

/** Position in the audit: ids of a job and a record, below which it continues; without a record, the time of the job. */
interface Place {
  readonly job: number;
  readonly record: number | undefined;
}

/** An id above those of all records. */
const recordsEnd = 10 ** 15 - 1;

/** @throws HttpFault 400 */
function placeOf(before: string | undefined, last: number): Place {
  const [, job, record] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(before ?? `${last + 1}`) ?? [];
  if (job === undefined) throw new HttpFault(400, "Invalid value for the 'before' parameter");
  return {
    job: Math.min(Number(job), last + 1),
    record: record === undefined ? undefined : Number(record),
  };
}

/** A job with its values, or a record. */
type Found = { readonly seconds: number } & (
  | { readonly id: JobId; readonly row: readonly Json[] }
  | { readonly id: number; readonly row: undefined; readonly entry: ActionEntry }
);

/** Jobs by id, newest first. */
async function* jobsBefore({ queue }: World, before: number): AsyncGenerator<Found> {
  for (let next = before - 1; next > 0; next -= readAtOnce) {
    const length = Math.min(next, readAtOnce);
    const ids = Array.from({ length }, (_, at) => (next - at) as JobId);
    const rows = await queue.query(ids, fields);
    for (const [at, row] of rows.entries()) {
      if (row !== undefined) yield { id: ids[at] as JobId, row, seconds: secondsOf(row) };
    }
  }
}

async function* recordsBefore(
  { access, queue }: World,
  { job, record: before }: Place,
): AsyncGenerator<Found> {
  const [row] = before === undefined ? await queue.query([job as JobId], fields) : [];
  const end = row === undefined ? Infinity : secondsOf(row);
  for (let next: number | undefined = before ?? recordsEnd; next !== undefined; ) {
    const records: readonly StoredAccess[] = await access.latest(readAtOnce, next);
    for (const record of records) {
      const seconds = record.at / 1e6;
      if (seconds < end) yield { id: record.id, row: undefined, seconds, entry: actionOf(record) };
    }
    next = records.at(-1)?.id;
  }
}

async function* none(): AsyncGenerator<Found> {}

/** Jobs and records, newest first. */
async function* merged(
  jobs: AsyncGenerator<Found>,
  records: AsyncGenerator<Found>,
): AsyncGenerator<Found> {
  let [job, record] = await Promise.all([jobs.next(), records.next()]);
  for (;;) {
    if (!record.done && (job.done || record.value.seconds >= job.value.seconds)) {
      yield record.value;
      record = await records.next();
    } else if (!job.done) {
      yield job.value;
      job = await jobs.next();
    } else return;
  }
}

const secondsOf = ([, , , received]: readonly Json[]): number =>
  Array.isArray(received) ? Number(received[0]) + Number(received[1]) / 1e6 : Infinity;

const actionOf = ({ at, ...record }: StoredAccess): ActionEntry => ({
  kind: "action",
  time: [Math.floor(at / 1e6), at % 1e6],
  ...record,
});

function entryOf(id: JobId, row: readonly Json[]): JobEntry {
  const [status, summary, archived, received_ts, end_ts, ops] = row;
  const reasons = reasonsOf(ops as readonly Json[]);
  const causes = reasons.flatMap(({ source, text }) => {
    const cause = source.startsWith("gnt:opcode:") ? /^job=(\d+);/.exec(text)?.[1] : undefined;
    return cause === undefined || Number(cause) === id ? [] : [Number(cause) as JobId];
  });
  const user = reasons.find(({ source }) => source.startsWith(userSource))?.source;
  const why = reasons.filter(({ source, text }) => source === "gnt:user" && text !== "");
  return {
    ...{ kind: "job", id, status, summary, archived, received_ts, end_ts },
    user: user?.slice(userSource.length) ?? null,
    why: [...new Set(why.map(({ text }) => text))],
    causes: [...new Set(causes)],
    reasons,
  } as JobEntry;
}

/** Reasons of all opcodes without duplicates; times in ms. */
function reasonsOf(ops: readonly Json[]): JobEntry["reasons"] {
  const found = new Map<string, JobEntry["reasons"][number]>();
  for (const op of ops) {
    const trail = isJsonObject(op) && Array.isArray(op.reason) ? (op.reason as Json[]) : [];
    for (const entry of trail) {
      if (!Array.isArray(entry)) continue;
      const [source, text, nanoseconds] = entry as readonly Json[];
      const time = Number(nanoseconds) / 1e6;
      if (typeof source !== "string" || typeof text !== "string" || Number.isNaN(time)) continue;
      found.set(`${source}\n${text}\n${time}`, { source, text, time });
    }
  }
  return [...found.values()];
}

function isWanted(entry: Entry, { seconds, row }: Found, wanted: Wanted): boolean {
  const has = (whole: string, part: string) => whole.toLowerCase().includes(part);
  if (seconds >= wanted.to) return false;
  if (wanted.user !== undefined && !has(entry.user ?? "", wanted.user)) return false;
  const { text } = wanted;
  if (text !== undefined && !textsOf(entry).some((one) => has(one, text))) return false;
  const { source, cause, object } = wanted;
  if (entry.kind === "action") return object === undefined || names(entry.object, object);
  if (cause !== undefined && entry.id !== cause && !entry.causes.includes(cause as JobId))
    return false;
  if (source !== undefined && !entry.reasons.some((one) => has(one.source, source))) return false;
  if (object === undefined) return true;
  const [, , , , , ops, results] = row ?? [];
  return names(ops as Json, object) || names(results as Json, object);
}

const textsOf = (entry: Entry): readonly string[] =>
  entry.kind === "job"
    ? [...entry.summary, ...entry.reasons.map(({ text }) => text)]
    : [`${entry.action} ${entry.object}`, entry.text];

/** Whether any text in a value, outside of reason trails, is the name of an object, complete or up to a dot. */
function names(value: Json, object: string): boolean {
  if (typeof value === "string") {
    const text = value.toLowerCase();
    return text === object || text.startsWith(`${object}.`);
  }
  if (Array.isArray(value)) return (value as readonly Json[]).some((one) => names(one, object));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, one]) => key !== "reason" && names(one, object));
}
