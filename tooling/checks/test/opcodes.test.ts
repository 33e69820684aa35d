import { expect, test } from "vitest";
import { trackedFiles } from "../src/repository.js";

/** Opcodes that neither RAPI nor gnt submits. */
const exceptions = [
  // By other opcodes and by the watcher.
  ...["OP_CLUSTER_VERIFY_CONFIG", "OP_CLUSTER_VERIFY_GROUP", "OP_GROUP_VERIFY_DISKS"],
  // RAPI and gnt ask the same without a job.
  ...["OP_CLUSTER_CONFIG_QUERY", "OP_CLUSTER_QUERY", "OP_QUERY", "OP_QUERY_FIELDS", "OP_TAGS_GET"],
  // Only clients of LUXI and `gnt-debug submit-job`.
  ...["OP_CLUSTER_BALANCE", "OP_INSTANCE_CONSOLE", "OP_TEST_DUMMY"],
];

test("every opcode is submitted by RAPI or gnt, or is a named exception", () => {
  const sources = trackedFiles().filter(({ path }) => /\/src\/.*\.ts$/.test(path));
  const idsIn = (folder: RegExp, id: RegExp) =>
    sources
      .filter(({ path }) => folder.test(path) && !path.endsWith(".test.ts"))
      .flatMap(({ text }) => [...text.matchAll(id)].map((match) => match[1] as string));
  const all = idsIn(/^packages\/protocol\/src\/opcodes\//, /opcode\("(OP_\w+)"/g);
  const submitted = new Set(idsIn(/^apps\/(gnt|rapi)\//, /"(OP_\w+)"/g));
  expect(all.length).toBeGreaterThan(80);
  expect(all.filter((id) => !submitted.has(id)).sort()).toEqual(exceptions.sort());
});
