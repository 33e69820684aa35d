import {
  type Job,
  type JobId,
  jobDocument,
  type QueuedOpcode,
  writeJson,
} from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { jobText } from "./job-text.js";

const queued: QueuedOpcode = {
  input: {
    OP_ID: "OP_TEST_DUMMY",
    'a "key"\u0000\ud800': ["é", 1.5, -3, 1e300, true, null, {}, []],
    reason: [["gnt:user", "why \\ not", 1_700_000_000_000_000_001n]],
  },
  status: "queued",
  result: null,
  log: [[1, [1, 2], "message", "kept in a table of its own"]],
  priority: -10,
  started: null,
  executed: null,
  ended: null,
};
const running: QueuedOpcode = {
  ...queued,
  status: "running",
  started: [7, 0],
  executed: [7, 999_999],
};
const ended: QueuedOpcode = {
  ...running,
  status: "success",
  result: { big: 12345678901234567890n, of: "\u2028" },
  ended: [8, 1],
};
const job: Job = {
  id: 12 as JobId,
  opcodes: [queued],
  received: [6, 5],
  started: null,
  ended: null,
};

test.each<{ why: string; job: Job }>([
  { why: "of a new job", job },
  { why: "of an imported job without times", job: { ...job, received: null } },
  { why: "of several opcodes", job: { ...job, opcodes: [ended, running, queued] } },
  { why: "without opcodes", job: { ...job, opcodes: [] } },
  { why: "of an unreadable opcode", job: { ...job, opcodes: [{ ...queued, input: "nonsense" }] } },
  {
    why: "of a running job",
    job: { ...job, opcodes: [running], started: [7, 0], livelock: '3:"88"', processId: 4711 },
  },
  {
    why: "of a job that has ended, whose input was written before",
    job: { ...job, opcodes: [ended], started: [7, 0], ended: [8, 1], livelock: "3:88" },
  },
  {
    why: "of a job whose input was replaced at its end",
    job: {
      ...job,
      opcodes: [{ ...ended, input: { OP_ID: "OP_OTHER" } }],
      started: [7, 0],
      ended: [8, 1],
    },
  },
])("the text of a document without logs is that of the document, $why", ({ job }) => {
  const wanted = writeJson(jobDocument(job, { logs: false }));
  expect(jobText(job)).toBe(wanted);
  expect(jobText(job)).toBe(wanted);
});
