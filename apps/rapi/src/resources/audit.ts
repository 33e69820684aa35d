/** `/ganeti-ts/1/audit`: jobs with users, times and reasons, from the trails of reasons of all jobs, archived ones too. */
import { isJsonObject, JobId, type Json, Timestamp } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { World } from "../world.js";
import { userSource } from "./job-method.js";
import { faultOfQueue } from "./queue-fault.js";
import type { Call, Resource } from "./resource.js";

const Entry = z.object({
  ...{ id: JobId, status: z.string(), summary: z.array(z.string()), archived: z.boolean() },
  ...{ received_ts: Timestamp.nullable(), end_ts: Timestamp.nullable() },
  /** The user whose request began it; null for jobs of the administrator's programs on the master. */
  user: z.string().nullable(),
  /** Texts that people gave as their reason, the first one first. */
  why: z.array(z.string()),
  /** Jobs that led to this one, from the first to the one that submitted it. */
  causes: z.array(JobId),
  reasons: z.array(z.object({ source: z.string(), text: z.string(), time: z.number() })),
});
type Entry = z.infer<typeof Entry>;

const Audit = z.object({
  entries: z.array(Entry),
  /** The argument `before` of the next request; null: there are no further jobs. */
  next: JobId.nullable(),
  looked: z.int(),
  /** The last job id in use: later jobs have begun after this answer. */
  last: JobId,
});

/** Entries of one answer, and jobs examined for it. */
const entriesMax = 200;
const lookedMax = 4000;
const jobsPerRead = 250;

export const auditResources: readonly Resource[] = [
  {
    path: "/ganeti-ts/1/audit",
    methods: {
      GET: {
        summary: "Jobs with user, time and trail of reasons, newest first",
        access: "read",
        query: {
          user: "Part of the name of the user who sent the request",
          source: "Part of a reason's source",
          text: "Part of a reason's text, or of a job's summary",
          object: "Name of an instance, node or other object that the job touched",
          cause: "Id of a job: it, and all jobs that it led to",
          from: "Seconds since the epoch: submitted at that time or later",
          to: "Seconds since the epoch: submitted before that time",
          before: "Id of a job: only older ones",
        },
        answer: Audit,
        handle: audit,
      },
    },
  },
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

/** Cost: O(jobs examined), at most `lookedMax`, however many there are. */
async function audit(call: Call, { queue }: World): Promise<Json> {
  const wanted = wantedOf(call);
  try {
    await queue.live();
    const entries: Entry[] = [];
    const last = queue.lastId;
    let looked = 0;
    let id = Math.min(call.query.integer("before", Number.MAX_SAFE_INTEGER) - 1, last);
    while (id > 0 && looked < lookedMax && !call.signal.aborted) {
      // A job leads only to later ones, and those before `from` have lower ids.
      if (wanted.cause !== undefined && id < wanted.cause)
        return { entries, next: null, looked, last };
      const length = Math.min(id, jobsPerRead);
      const ids = Array.from({ length }, (_, at) => (id - at) as JobId);
      const rows = await queue.query(ids, fields);
      for (const [at, row] of rows.entries()) {
        looked += 1;
        id = (ids[at] as number) - 1;
        if (row === undefined) continue;
        if (secondsOf(row) < wanted.from) return { entries, next: null, looked, last };
        const entry = entryOf(ids[at] as JobId, row);
        if (isWanted(entry, row, wanted)) entries.push(entry);
        if (entries.length === entriesMax) return { entries, next: nextOf(id), looked, last };
      }
    }
    return { entries, next: nextOf(id), looked, last };
  } catch (error) {
    throw faultOfQueue(error);
  }
}

const nextOf = (id: number): JobId | null => (id > 0 ? ((id + 1) as JobId) : null);

const secondsOf = ([, , , received]: readonly Json[]): number =>
  Array.isArray(received) ? Number(received[0]) : Number.POSITIVE_INFINITY;

function entryOf(id: JobId, row: readonly Json[]): Entry {
  const [status, summary, archived, received_ts, end_ts, ops] = row;
  const reasons = reasonsOf(ops as readonly Json[]);
  const causes = reasons.flatMap(({ source, text }) => {
    const cause = source.startsWith("gnt:opcode:") ? /^job=(\d+);/.exec(text)?.[1] : undefined;
    return cause === undefined || Number(cause) === id ? [] : [Number(cause) as JobId];
  });
  const user = reasons.find(({ source }) => source.startsWith(userSource))?.source;
  const why = reasons.filter(({ source, text }) => source === "gnt:user" && text !== "");
  return {
    ...{ id, status, summary, archived, received_ts, end_ts },
    user: user?.slice(userSource.length) ?? null,
    why: [...new Set(why.map(({ text }) => text))],
    causes: [...new Set(causes)],
    reasons,
  } as Entry;
}

/** Entries of all opcodes, each once; the time in ms. */
function reasonsOf(ops: readonly Json[]): Entry["reasons"] {
  const found = new Map<string, Entry["reasons"][number]>();
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

function isWanted(entry: Entry, row: readonly Json[], wanted: Wanted): boolean {
  const { user, source, text, object, cause, to } = wanted;
  const has = (whole: string, part: string) => whole.toLowerCase().includes(part);
  if (secondsOf(row) >= to) return false;
  if (cause !== undefined && entry.id !== cause && !entry.causes.includes(cause as JobId))
    return false;
  if (user !== undefined && !has(entry.user ?? "", user)) return false;
  if (source !== undefined && !entry.reasons.some((one) => has(one.source, source))) return false;
  if (text !== undefined) {
    const texts = [...entry.summary, ...entry.reasons.map((one) => one.text)];
    if (!texts.some((one) => has(one, text))) return false;
  }
  if (object === undefined) return true;
  const [, , , , , ops, results] = row;
  return names(ops as Json, object) || names(results as Json, object);
}

/** Whether some text within a value, except in trails of reasons, is the name of an object, in full or up to a dot. */
function names(value: Json, object: string): boolean {
  if (typeof value === "string") {
    const text = value.toLowerCase();
    return text === object || text.startsWith(`${object}.`);
  }
  if (Array.isArray(value)) return (value as readonly Json[]).some((one) => names(one, object));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, one]) => key !== "reason" && names(one, object));
}
