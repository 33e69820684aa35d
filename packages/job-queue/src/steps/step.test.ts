// Changes of a step report whether a job differs from the store in its log only. Seen to fail with a comparison that
// leaves out the claim, and with one that leaves out the opcodes.
import { brokenInvariants, type JobId, readJob } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { failOpcode, finishOpcode } from "../running/transitions.js";
import type { Claim, News } from "../stores/store.js";
import { entryOf } from "./entry.js";
import { Image } from "./image.js";
import { Step } from "./step.js";

const news: News = {
  nowMicros: 0,
  serial: 1,
  jobs: [],
  wanted: new Map(),
  dead: [],
  fenced: [],
  liveCount: 1,
};
const claim: Claim = { worker: 1, fence: 1 };
const time = [1, 0];
const opcode = { input: {}, status: "running", priority: 0, log: [], result: null };
const stamps = { start_timestamp: time, end_timestamp: null };
const text = JSON.stringify({
  ...{ id: 1, received_timestamp: time, ...stamps },
  ops: [
    { ...opcode, ...stamps, exec_timestamp: time },
    { ...opcode, status: "queued", start_timestamp: null, exec_timestamp: null },
  ],
});

function changesOf(act: (step: Step) => void) {
  const image = new Image();
  const job = readJob(text);
  image.set(job.id, entryOf(job, claim, undefined));
  const step = new Step(image, news);
  act(step);
  return step.changes();
}

const entryIn = (step: Step) => {
  const entry = step.image.get(1 as JobId);
  if (entry === undefined) throw new Error("the job is there");
  return entry;
};
const log = (step: Step) => step.log(entryIn(step), 0, [["message", "first"]]);

test("a step that only appends to the log of a job says so", () => {
  const changes = changesOf((step) => {
    log(step);
    log(step);
  });
  expect(changes).toMatchObject([{ isOnlyLog: true, opcodes: [] }]);
});

test("a step that changes the claim or an opcode of a job does more than append to its log", () => {
  const canceled = changesOf((step) => {
    log(step);
    step.put(entryIn(step).job, { ...claim, cancel: true });
  });
  const released = changesOf((step) => {
    step.put(entryIn(step).job, null);
    log(step);
  });
  const finished = changesOf((step) => {
    log(step);
    step.put(finishOpcode(entryIn(step).job, null, 0), claim);
  });
  for (const changes of [canceled, released, finished]) {
    expect(changes).toMatchObject([{ isOnlyLog: false }]);
  }
});

test.each([
  ["a job that has ended changes", (step: Step) => step.put(ended(step), claim), "has ended with"],
  [
    "a claimed job is started",
    (step: Step) => step.take(entryIn(step), { ...taken, id: 1 as JobId }),
    "is claimed already",
  ],
  [
    "a job of another worker changes",
    (step: Step) => step.put(entryIn(step).job, { worker: 2, fence: 1 }),
    "of worker 1, and would be that of 2",
  ],
  ["a running job is archived", (step: Step) => step.archive([1 as JobId]), "has not ended"],
  [
    "a number is given twice",
    (step: Step) => step.add([entryIn(step).job], 0),
    "not after 0, up to 0",
  ],
])("a step in which %s is not stored, and counts as a broken invariant", (_, act, text) => {
  const before = brokenInvariants();
  expect(() => changesOf(act)).toThrow(text);
  expect(brokenInvariants()).toBe(before + 1);
});

const taken = { claim, status: "waiting", at: 0, opcodeCount: 2 } as const;

/** The job, which ends in this step. */
function ended(step: Step) {
  const job = failOpcode(entryIn(step).job, "it failed", 0);
  step.put(job, claim);
  return job;
}
