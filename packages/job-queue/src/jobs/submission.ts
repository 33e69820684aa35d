/** Submission: turns lists of opcodes into jobs with ids. */
import {
  type Dependency,
  type Job,
  type JobId,
  type Json,
  type JsonObject,
  nanosecondsOf,
  type Opcode,
  type ReasonEntry,
  readOpcode,
  timestampOf,
} from "@ganeti-ts/protocol";
import { QueueError } from "../queue-error.js";
import type { Command } from "../steps/engine.js";

/** `[true, id]`, or `[false, message]` for a refused entry. */
export type Submitted = readonly [true, JobId] | readonly [false, string];

/** The id of a single accepted job. @throws QueueError `wrong_input` with the reason of a refusal */
export function acceptedId([answer]: readonly Submitted[]): JobId {
  if (answer?.[0] === true) return answer[1];
  throw new QueueError("wrong_input", String(answer?.[1]));
}

interface Submission {
  /** In the order of the list; ids of refused entries stay unused. */
  readonly answers: readonly Submitted[];
  readonly jobs: readonly Job[];
}

/** Adds the jobs to the queue. Throws a QueueError if it is drained, unless `evenDrained`, or would become too long. */
export function submitCommand(
  jobs: readonly (readonly JsonObject[])[],
  evenDrained: boolean,
): Command<readonly Submitted[]> {
  return {
    apply(step) {
      const { serial, settings, liveCount } = step.image;
      if (settings.drained && !evenDrained) throw new QueueError("queue_drained", "Queue drained");
      if (settings.sizeMax !== null && liveCount + jobs.length > settings.sizeMax) {
        throw new QueueError("queue_full", "Job queue is full, needs archiving");
      }
      const made = submission(jobs, serial, step.now);
      if (jobs.length > 0) step.add(made.jobs, serial + jobs.length);
      return made.answers;
    },
  };
}

/**
 * Creates jobs from a list of opcode lists. Entry i gets the id `lastId + 1 + i`; a dependency -k means entry
 * i - k of the same list. A refused entry does not affect the others.
 */
function submission(
  list: readonly (readonly unknown[])[],
  lastId: number,
  now: number,
): Submission {
  const jobs: Job[] = [];
  const answers = list.map((entry, at): Submitted => {
    const made = newJob(entry, lastId + 1 + at, at, now);
    if (typeof made === "string") return [false, made];
    jobs.push(made);
    return [true, made.id];
  });
  return { answers, jobs };
}

/** The job, or the reason for a refusal. `place` is its position in a submission of several. */
function newJob(entry: readonly unknown[], id: number, place: number, now: number): Job | string {
  if (!Array.isArray(entry)) return "A job is a list of opcodes";
  if (entry.length === 0) return "A job needs at least one opcode";
  const opcodes: Job["opcodes"][number][] = [];
  for (const [index, value] of entry.entries()) {
    const read = readOpcode(value);
    if (!read.ok) return read.problem;
    const depends = absolute(read.opcode.depends, id, place);
    if (typeof depends === "string") return depends;
    opcodes.push({
      input: {
        ...read.opcode,
        depends,
        reason: [...read.opcode.reason, entryOf(read.opcode, id, index, now)],
      } as Json,
      status: "queued",
      result: null,
      log: [],
      priority: read.opcode.priority,
      started: null,
      executed: null,
      ended: null,
    });
  }
  return { id: id as JobId, opcodes, received: timestampOf(now), started: null, ended: null };
}

/** The queue's own entry in the reason trail. */
function entryOf(opcode: Opcode, id: number, index: number, now: number): ReasonEntry {
  const name = opcode.OP_ID.replace(/^OP_/, "").toLowerCase();
  return [`gnt:opcode:${name}`, `job=${id};index=${index}`, nanosecondsOf(now)];
}

function absolute(
  depends: readonly Dependency[] | null,
  id: number,
  place: number,
): readonly Dependency[] | null | string {
  if (depends === null) return null;
  const resolved: Dependency[] = [];
  for (const [job, statuses] of depends) {
    if (job < -place) return `Unable to resolve relative job ID ${job}`;
    resolved.push([job < 0 ? id + job : job, statuses]);
  }
  return resolved;
}
