import type { JobChange } from "@ganeti-ts/job-queue";
import type { Job, JobId, QueuedOpcode } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { jobOfText, jobWriting, type Patch } from "./documents.js";
import { jobText } from "./job-text.js";

const queued = (at: number): QueuedOpcode => ({
  input: {
    OP_ID: "OP_INSTANCE_STARTUP",
    instance_name: `web${at}`,
    osparams_private: { key: "s3cret" },
  },
  status: "queued",
  result: null,
  log: [],
  priority: 0,
  started: null,
  executed: null,
  ended: null,
});

const jobOf = (count: number): Job => ({
  id: 7 as JobId,
  opcodes: Array.from({ length: count }, (_, at) => queued(at)),
  received: [1, 2],
  started: null,
  ended: null,
});

const changeOf = (job: Job, opcodes: readonly number[]): JobChange => ({
  kind: "job",
  job,
  status: "running",
  priority: 0,
  claim: null,
  isNew: false,
  opcodes,
  log: [],
});

const ended = (job: Job, index: number): Job => {
  const opcode = job.opcodes[index] as QueuedOpcode;
  const after: QueuedOpcode = {
    ...opcode,
    status: "success",
    result: { of: index },
    ended: [3, 4],
  };
  return { ...job, started: [2, 2], livelock: "3:1", opcodes: job.opcodes.with(index, after) };
};

/** Number of characters written for a change of one opcode. */
function writtenFor(count: number): number {
  const writing = jobWriting(changeOf(ended(jobOf(count), 5), [5]));
  if ("document" in writing) throw new Error("all of it is written");
  return writing.patches.reduce((sum, { text }) => sum + text.length, 0);
}

test("a change of one opcode writes as much for a job of 1600 opcodes as for one of 100", () => {
  expect(writtenFor(1600)).toBe(writtenFor(100));
  expect(writtenFor(1600)).toBeLessThan(500);
});

test("document and patches together are the job, whatever has changed how often", () => {
  const stored = jobText(jobOf(20));
  const patches = new Map<number, Patch>();
  let job = jobOf(20);
  for (const index of [0, 1, 2, 1, 19]) {
    job = ended(job, index);
    const writing = jobWriting(changeOf(job, [index]));
    if ("document" in writing) throw new Error("all of it is written");
    for (const patch of writing.patches) patches.set(patch.opcode, patch);
    expect(jobOfText(stored, [], [...patches.values()])).toEqual(job);
  }
  expect(patches.size).toBe(5);
});

test.each([
  { why: "it has few opcodes", change: changeOf(jobOf(8), [0]), mayHavePatches: false },
  {
    why: "most of its opcodes have changed",
    change: changeOf(jobOf(10), [0, 1, 2, 3, 4, 5]),
    mayHavePatches: true,
  },
  {
    why: "it has ended",
    change: changeOf({ ...jobOf(10), ended: [5, 6] }, [9]),
    mayHavePatches: true,
  },
])("a job is written whole where $why", ({ change, mayHavePatches }) => {
  expect(jobWriting(change)).toEqual({ document: jobText(change.job), mayHavePatches });
});
