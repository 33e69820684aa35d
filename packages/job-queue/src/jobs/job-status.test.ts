import type { JobStatus, QueuedOpcode } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { jobPriorityOf, jobStatusOf } from "./job-status.js";

const opcode = (status: JobStatus, priority = 0): QueuedOpcode => ({
  input: null,
  status,
  result: null,
  log: [],
  priority,
  started: null,
  executed: null,
  ended: null,
});

test.each<[string, JobStatus]>([
  ["queued queued queued", "queued"],
  ["waiting queued queued", "waiting"],
  ["success success waiting queued", "waiting"],
  ["success running queued", "running"],
  ["success queued queued", "queued"],
  ["success canceling canceling", "canceling"],
  ["success canceled canceled", "canceled"],
  ["success error error", "error"],
  ["success success success", "success"],
])("opcodes %s make a job %s", (opcodes, status) => {
  expect(jobStatusOf(opcodes.split(" ").map((one) => opcode(one as JobStatus)))).toBe(status);
});

test("the best priority among opcodes that have not ended is the job's", () => {
  expect(jobPriorityOf([opcode("success", -10), opcode("queued", 10), opcode("queued")])).toBe(0);
  expect(jobPriorityOf([opcode("success", -10), opcode("error", 10)])).toBe(0);
  expect(jobPriorityOf([opcode("queued", 10), opcode("queued", 5)])).toBe(5);
});
