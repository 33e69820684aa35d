// Benchmarks are started by hand, months apart: what they import is there.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const programs = execFileSync("git", ["ls-files", "apps/*/bench/*.js", "packages/*/bench/*.js"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && readFileSync(join(root, path), "utf8").includes("helpIfAsked("));

test("there are benchmarks that explain themselves", () => {
  expect(programs.length).toBeGreaterThan(5);
});

test.each(programs)("%s begins, and says what it measures", (path) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, "--help"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Benchmark/);
});
