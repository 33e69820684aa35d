import type { Job, JobId, Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import {
  archivedJobFileName,
  jobFile,
  jobFileName,
  lacksSecrets,
  readJobFile,
} from "./job-file.js";

const aJob = (input: Json, status: Job["opcodes"][number]["status"] = "queued"): Job => ({
  id: 12 as JobId,
  opcodes: [
    {
      input,
      status,
      ...{ result: null, priority: 0, started: null, executed: null, ended: null },
      log: [
        [1, [1, 2], "message", "größer"],
        [2, [1, 2], "created", "00000000-0000-4000-8000-000000000001"],
      ],
    },
  ],
  received: [1, 2],
  started: null,
  ended: null,
});

test("a job file is read back as the job, in ASCII, without its secrets and entries of our own types", () => {
  const text = jobFile(aJob({ OP_ID: "OP_X", osparams_secret: { key: "s3cret" }, name: "web" }));
  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(text).not.toContain("s3cret");
  const [opcode] = readJobFile(text).opcodes;
  expect(opcode?.input).toEqual({
    OP_ID: "OP_X",
    osparams_secret: { key: "<redacted>" },
    name: "web",
  });
  expect(opcode?.log).toEqual([[1, [1, 2], "message", "gr??er"]]);
});

test.each([
  { why: "a queued job with a redacted secret cannot be run", status: "queued", lacks: true },
  { why: "an ended job needs no secret any more", status: "success", lacks: false },
] as const)("$why", ({ status, lacks }) => {
  const text = jobFile(aJob({ osparams_secret: { key: "s3cret" } }, status));
  expect(lacksSecrets(readJobFile(text))).toBe(lacks);
});

test("a queued job without secrets lacks none", () => {
  expect(lacksSecrets(readJobFile(jobFile(aJob({ osparams_secret: {}, name: null }))))).toBe(false);
});

test("archived jobs lie in folders of ten thousand", () => {
  expect(jobFileName(9 as JobId)).toBe("job-9");
  expect(archivedJobFileName(9_999 as JobId)).toBe("archive/0/job-9999");
  expect(archivedJobFileName(10_000 as JobId)).toBe("archive/1/job-10000");
});
