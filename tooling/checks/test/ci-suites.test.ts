// The suites of CI: their end, the second run of failed files, and the totals, with programs in place of suites.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const minute = 60;
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

/** Runs these lines with the functions of suites, at so many seconds after the beginning; prints what failed and the totals. */
function run(lines: string, now = 0) {
  const results = join(folder, "results");
  const script = `set -eu
mkdir ${results}
results=${results} begun=0
date() { echo ${now}; }
source .ci/suites.sh
${lines}
echo "failed:$failed"
node .ci/totals.js "$results"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: root, encoding: "utf8" });
  return stdout + stderr;
}

test("a suite that hangs is ended and has failed", () => {
  const output = run("suite one 1 sh -c 'exec sleep 600'", minute - 1);
  expect(output).toMatch(/^failed: one$/m);
  expect(output).toContain("FAILED in one: all files > did not end within 1 minutes");
  expect(output).toMatch(/^0 passed, 1 failed$/m);
});

test("a suite without a report has failed", () => {
  const output = run("suite one 1 sh -c 'exit 3'");
  expect(output).toMatch(/^failed: one$/m);
  expect(output).toContain("FAILED in one: all files > ended with status 3 without a report");
});

test("a suite whose time is over is left out, and has not failed", () => {
  const output = run(`timed one 1 9 ${program("a", report(["x"]), 1)}`, minute + 1);
  expect(output).toContain("one is left out");
  expect(output).not.toContain("ran a");
  expect(output).toMatch(/^failed:$/m);
});

test("what fails once is unstable; what fails twice has failed", () => {
  const again = `sh -c 'if [ -e ${folder}/second ]; then exec ${program("b", report(["y"]), 1)} "$@"; fi
touch ${folder}/second
exec ${program("a", report(["x", "y"]), 1)} "$@"' -`;
  const output = run(`with_daemons one 60 60 60 ${again}`);
  expect(output).toMatch(/ran b x y /);
  expect(output).toMatch(/^failed: one-again$/m);
  expect(output).toContain("UNSTABLE, failed once in one: x");
  expect(output).toContain("FAILED in one: y");
  expect(output).toMatch(/^6 passed, 1 failed$/m);
});

test("failed files stay failed where no time is left, or the second run hangs", () => {
  const first = program("a", report(["x"]), 1);
  const late = run(`with_daemons one 60 60 1 ${first}`, minute + 1);
  expect(late).toContain("no time is left");
  expect(late).toMatch(/^failed: one$/m);
  rmSync(join(folder, "results"), { recursive: true });
  const hanging = `sh -c '[ ! -e ${folder}/second ] || exec sleep 600
touch ${folder}/second
exec ${first} "$@"' -`;
  const hung = run(`with_daemons one 60 60 1 ${hanging}`, minute - 1);
  expect(hung).toMatch(/^failed: one-again$/m);
  expect(hung).toContain("FAILED in one: x");
  expect(hung).toMatch(/^5 passed, 2 failed$/m);
});

test("a suite that passes has failed nowhere", () => {
  const output = run(`with_daemons one 60 60 60 ${program("a", report([]), 0)}`);
  expect(output).toMatch(/^failed:$/m);
  expect(output).toMatch(/^5 passed, 0 failed$/m);
});
