/** Ctrl-C in `pnpm start`: the script ends with code 0, so that pnpm does not report ELIFECYCLE. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the start script ends with code 0 when its whole process group is interrupted", async () => {
  const root = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "demo-"));
  const demo = join(folder, "demo.mjs");
  writeFileSync(
    demo,
    'const kept = setInterval(() => {}, 1000); process.once("SIGINT", () => clearInterval(kept)); console.log("ready");',
  );
  const line = String(root.scripts.start)
    .replace(/^.*? && turbo .*?&& /, "true && ")
    .replace("apps/rapi/dist/demo.js", demo);
  expect(line).toContain(demo);
  const shell = spawn("sh", ["-c", line], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const ended = once(shell, "exit");
    await once(shell.stdout, "data");
    process.kill(-(shell.pid as number), "SIGINT");
    expect(await ended).toEqual([0, null]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
