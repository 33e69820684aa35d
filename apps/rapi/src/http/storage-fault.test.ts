import { expect, test } from "vitest";
import { storageFault } from "./storage-fault.js";

test.each([
  { why: "SQLite's disk is full", about: { code: "SQLITE_FULL" }, status: 500 },
  { why: "PostgreSQL's disk is full", about: { code: "53100", severity: "ERROR" }, status: 500 },
  { why: "nobody listens", about: { code: "ECONNREFUSED", syscall: "connect" }, status: 502 },
  { why: "no socket", about: { code: "ENOENT", syscall: "connect" }, status: 502 },
  { why: "it shuts down", about: { code: "57P01", severity: "FATAL" }, status: 502 },
  { why: "another refusal", about: { code: "23505", severity: "ERROR" }, status: undefined },
  {
    why: "a file that is not there",
    about: { code: "ENOENT", syscall: "open" },
    status: undefined,
  },
])("$why: $status", ({ about, status }) => {
  const fault = storageFault(Object.assign(new Error("connect /secret/place"), about));
  expect(fault?.status).toBe(status);
  expect(fault?.body ?? "").not.toContain("place");
});
