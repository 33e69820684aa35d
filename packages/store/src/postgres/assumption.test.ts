import type { Change } from "@ganeti-ts/job-queue";
import type { JobId } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { Assumption } from "./assumption.js";
import type { StepStart } from "./step-news.js";

const start: StepStart = {
  now: 1_000_000,
  revision: 7,
  mark: null,
  serial: 3,
  live: 2,
  settings: null,
  rules: false,
  fence: 1,
  dead: null,
  fenced: null,
  jobs: null,
  all: false,
};

/** An assumption that has asked at 0 ms, and a clock to be set. */
function asked(answer: Partial<StepStart> = {}) {
  const time = { ms: 0 };
  const assumption = new Assumption(() => time.ms);
  assumption.asking();
  assumption.asked({ ...start, ...answer });
  return { assumption, time };
}

test("a worker that has never asked has to ask", () => {
  expect(new Assumption(() => 0).news()).toBeUndefined();
});

test("a step after an answer without news builds on it, at the database's time", () => {
  const { assumption, time } = asked();
  time.ms = 20;
  expect(assumption.news()).toMatchObject({
    revision: 7,
    nowMicros: 1_020_000,
    serial: 3,
    liveCount: 2,
    jobs: [],
  });
});

test("own steps move revision, serial and number of jobs on", () => {
  const { assumption, time } = asked();
  const job = { id: 4 as JobId, opcodes: [], received: null, started: null, ended: null };
  const added: Change = {
    kind: "job",
    job,
    status: "queued",
    priority: 0,
    claim: null,
    isNew: true,
    opcodes: [],
    log: [],
  };
  const archived: Change = { kind: "archive", ids: [1, 2] as JobId[] };
  time.ms = 50;
  assumption.changed([{ kind: "serial", serial: 4 }, added, archived], 2_000_000);
  time.ms = 60;
  expect(assumption.news()).toMatchObject({
    revision: 8,
    nowMicros: 2_010_000,
    serial: 4,
    liveCount: 1,
  });
});

test.each<{ why: string; answer: Partial<StepStart> }>([
  { why: "jobs of others changed", answer: { jobs: [[[1, "queued", false, null, null, false]]] } },
  { why: "a worker is dead", answer: { dead: [[2, 1, false]] } },
  { why: "a worker was fenced", answer: { fenced: [[2, 1]] } },
])("a worker keeps asking while $why", ({ answer }) => {
  expect(asked(answer).assumption.news()).toBeUndefined();
});

test("steps of others without jobs do not count as news", () => {
  expect(asked({ jobs: [null, []] }).assumption.news()).toBeDefined();
});

test("a notification makes the next step ask", () => {
  const { assumption } = asked();
  assumption.doubt();
  expect(assumption.news()).toBeUndefined();
  assumption.asking();
  assumption.asked(start);
  expect(assumption.news()).toBeDefined();
});

test("a worker asks twice a second, to find dead ones", () => {
  const { assumption, time } = asked();
  time.ms = 499;
  assumption.changed([{ kind: "serial", serial: 4 }], 2_000_000);
  expect(assumption.news()).toBeDefined();
  time.ms = 500;
  expect(assumption.news()).toBeUndefined();
});
