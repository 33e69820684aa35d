// The suites of CI: their end, the totals, and the lists of files, with programs in place of suites.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "suites-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const report = (failed: readonly string[]) =>
  JSON.stringify({
    numPassedTests: 5,
    numPendingTests: 0,
    testResults: failed.map((file) => ({
      name: join(root, file),
      status: "failed",
      assertionResults: [{ status: "failed", fullName: "a test", failureMessages: ["no"] }],
    })),
  });

/** A program that writes this report where the last option says, and ends with this status. */
function program(name: string, reportText: string, status: number): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    `for word; do last=$word; done
echo "ran ${name} $*"
cat > "\${last#--outputFile.json=}" <<'END'
${reportText}
END
exit ${status}
`,
  );
  return `sh ${path}`;
}

/** Runs these lines with the function of suites; prints what failed and the totals. */
function run(lines: string) {
  const results = join(folder, "results");
  const script = `set -eu
mkdir ${results}
results=${results}
source .ci/suites.sh
${lines}
echo "failed:$failed"
node .ci/totals.js "$results"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: root, encoding: "utf8" });
  return stdout + stderr;
}

test("a suite that hangs is ended and has failed", () => {
  const output = run("suite one 0.005 sh -c 'exec sleep 600'");
  expect(output).toMatch(/^failed: one$/m);
  expect(output).toContain("FAILED in one: all files > did not end within 0.005 minutes");
  expect(output).toMatch(/^0 passed, 1 failed$/m);
});

test("a suite without a report has failed", () => {
  const output = run("suite one 60 sh -c 'exit 3'");
  expect(output).toMatch(/^failed: one$/m);
  expect(output).toContain("FAILED in one: all files > ended with status 3 without a report");
});

test("a test that fails once has failed, and later suites run", () => {
  const output = run(
    `suite one 60 ${program("a", report(["x"]), 1)}
suite two 60 ${program("b", report([]), 0)}`,
  );
  expect(output).toMatch(/^failed: one$/m);
  expect(output).toContain("FAILED in one: x > a test");
  expect(output).toMatch(/^ran b /m);
  expect(output).toMatch(/^10 passed, 1 failed$/m);
});

test("a suite that passes has failed nowhere", () => {
  const output = run(`suite one 60 ${program("a", report([]), 0)}`);
  expect(output).toMatch(/^failed:$/m);
  expect(output).toMatch(/^5 passed, 0 failed$/m);
});

test.each(["reference", "machines"])("the chosen files of %s exist, each with a reason", (name) => {
  const list = `.ci/${name}.txt`;
  const lines = readFileSync(join(root, list), "utf8").split("\n").slice(1).filter(Boolean);
  const { stdout } = spawnSync("bash", ["-c", `source .ci/suites.sh; chosen ${list}`], {
    cwd: root,
    encoding: "utf8",
  });
  const paths = stdout.trim().split("\n");
  expect(paths).toHaveLength(lines.length);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(paths.filter((path) => !path.endsWith(`.${name}.test.ts`))).toEqual([]);
  expect(lines.filter((line) => !/ # .{20,}/.test(line))).toEqual([]);
});

test("each part of the long checks is described", () => {
  const { stdout, stderr } = spawnSync("bash", [".ci/long", "--list"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const described = readFileSync(join(root, "docs/long-runs.md"), "utf8");
  const families = stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/[- ].*/, ""));
  for (const family of new Set(families)) expect(described).toContain(`\`${family}`);
});
