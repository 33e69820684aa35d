import type { Change, JobChange } from "@ganeti-ts/job-queue";
import type { FilterUuid, JobId } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { interestsOthers } from "./step-text.js";

const own = 1;
const other = 2;

const put = (
  id: number,
  status: JobChange["status"],
  worker: number | null,
  isNew = false,
): Change => ({
  kind: "job",
  opcodes: [],
  job: { id: id as JobId, opcodes: [], received: null, started: null, ended: null },
  claim: worker === null ? null : { worker, fence: 1 },
  status,
  priority: 0,
  isNew,
  log: [],
});

// Before the step: 1 and 2 are this worker's, 3 is another's, 4 and 5 wait.
const holders = new Map([
  [1, own],
  [2, own],
  [3, other],
  [4, null],
  [5, null],
]);

test.each<{ why: string; changes: Change[]; tells: boolean }>([
  { why: "a job went on in this worker's hands", changes: [put(1, "running", own)], tells: false },
  {
    why: "each job that ended made room for one that began",
    changes: [put(1, "success", null), put(4, "running", own)],
    tells: false,
  },
  { why: "a slot is free now", changes: [put(1, "success", null)], tells: true },
  {
    why: "two ended, one began",
    changes: [put(1, "success", null), put(2, "error", null), put(4, "waiting", own)],
    tells: true,
  },
  { why: "a job was given back", changes: [put(1, "queued", null)], tells: true },
  {
    why: "a job in other hands is to be canceled",
    changes: [put(3, "running", other)],
    tells: true,
  },
  { why: "a job was taken from a dead worker", changes: [put(3, "error", null)], tells: true },
  { why: "a new job waits", changes: [put(6, "queued", null, true)], tells: true },
  { why: "a new job began at once", changes: [put(6, "running", own, true)], tells: false },
  { why: "a job in the queue was canceled", changes: [put(4, "canceled", null)], tells: false },
  {
    why: "a rule is gone",
    changes: [{ kind: "rule gone", uuid: "00000000-0000-4000-8000-000000000001" as FilterUuid }],
    tells: true,
  },
  {
    why: "a limit changed",
    changes: [{ kind: "settings", settings: { drained: false, runningMax: 5, sizeMax: null } }],
    tells: true,
  },
  {
    why: "a worker is dead",
    changes: [{ kind: "fence", dead: { worker: 2, fence: 1 } }],
    tells: true,
  },
  { why: "jobs went to the archive", changes: [{ kind: "archive", ids: [] }], tells: false },
])("others are told at once: $tells, when $why", ({ changes, tells }) => {
  expect(interestsOthers(changes, own, (id) => holders.get(id))).toBe(tells);
});
