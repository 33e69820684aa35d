// The end of a suite at a point in time: complete files, the names of the others, and the exit status.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deadline-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs two files of two tests each, whose first test is `body`, and ends the run at this time. */
function run(until: number, body: string) {
  for (const name of ["a", "b"]) {
    const test = `import { expect, test } from "vitest";
test("${name}1", () => {${body}});
test("${name}2", () => {});
`;
    writeFileSync(join(folder, `${name}.test.ts`), test);
  }
  const config = `export default { test: { maxWorkers: 1, fileParallelism: false } };`;
  writeFileSync(join(folder, "vitest.config.js"), config);
  const words = ["run", "--root", folder, "--reporter=verbose"];
  const reporter = `--reporter=${join(root, "vitest.deadline.ts")}`;
  const ended = spawnSync(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), ...words, reporter],
    {
      encoding: "utf8",
      env: { ...process.env, GANETI_TS_TESTS_UNTIL: String(until), NO_COLOR: "1" },
    },
  );
  return { status: ended.status, output: ended.stdout + ended.stderr };
}

test("runs the file that has begun to its end, names the others, and passes", () => {
  const { status, output } = run(0, "");
  const ran = ["a", "b"].filter((name) => output.includes(`✓ ${name}.test.ts > ${name}2`));
  expect(ran).toHaveLength(1);
  expect(output).toMatch(new RegExp(`begins \\S*${ran[0]}\\.test\\.ts\n`));
  const left = ran[0] === "a" ? "b" : "a";
  expect(output).toMatch(new RegExp(`1 files left out.*:\n  \\S*${left}\\.test\\.ts\n`));
  expect(status).toBe(0);
});

test("a test that failed before the end fails the run", () => {
  const { status, output } = run(0, "expect(1).toBe(2)");
  expect(output).toContain("1 files left out");
  expect(status).toBe(1);
});

test("leaves out nothing before that time", () => {
  const { status, output } = run(Date.now() / 1000 + 3600, "");
  expect(output).toMatch(/Tests +4 passed/);
  expect(output).not.toContain("left out");
  expect(status).toBe(0);
});
