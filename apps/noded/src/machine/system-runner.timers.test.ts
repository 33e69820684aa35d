import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { aFolder } from "../../test/a-context.js";
import { NodeFailure } from "../failure.js";
import { outputBytesMax, outputOf, reasonOf, succeeded } from "./runner.js";
import { systemRunner } from "./system-runner.js";

const runner = systemRunner(() => {});
const shell = (script: string, more = {}) =>
  runner.run({ program: "sh", args: ["-c", script], ...more });

function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("the runner of the machine", () => {
  test("keeps both output streams apart and joins them for messages", async () => {
    const ended = await shell("echo out; echo err >&2; exit 3");
    expect([ended.stdout, ended.stderr, outputOf(ended)]).toEqual(["out\n", "err\n", "out\nerr\n"]);
    expect([succeeded(ended), reasonOf(ended)]).toEqual([false, "exited with exit code 3"]);
  });

  test.each([
    { why: "texts in ASCII go to a program of the C locale", more: {}, lines: ["C", "", "e"] },
    {
      why: "a value outside of ASCII goes to a program whose locale is UTF-8",
      more: { env: { VALUE: "é" } },
      lines: ["C.UTF-8", "", "é"],
    },
    {
      why: "a clean environment in ASCII stays as it is given",
      more: { env: { VALUE: "e" }, cleanEnv: true },
      lines: ["", "", "e"],
    },
    {
      why: "a clean environment declares the encoding of values outside of ASCII",
      more: { env: { VALUE: "é" }, cleanEnv: true },
      lines: ["", "C.UTF-8", "é"],
    },
  ])("$why", async ({ more, lines }) => {
    const script = `printf '%s\\n' "$LC_ALL" "$LC_CTYPE" "\${VALUE:-e}"`;
    expect((await shell(script, more)).stdout.split("\n")).toEqual([...lines, ""]);
  });

  test("names the signal that ended a program", async () => {
    expect(reasonOf(await shell("kill -9 $$"))).toBe("terminated by signal 9");
  });

  test("at its time limit ends a program together with its children, which keep its output open", async () => {
    const ended = await shell("sleep 600 & sleep 600", { timeoutMs: 20 });
    expect(reasonOf(ended)).toBe(
      "terminated by signal 15, terminated after timeout of 0.02 seconds",
    );
  });

  test("kills a program that ignores SIGTERM", async () => {
    const folder = aFolder();
    const outputFile = join(folder, "log");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const script = "trap '' TERM; echo ready; while :; do sleep 600; done";
      const ending = shell(script, { timeoutMs: 1500, lingerMs: 500, outputFile });
      while (!existsSync(outputFile) || readFileSync(outputFile, "utf8") !== "ready\n") {
        await new Promise((resolve) => setImmediate(resolve));
      }
      vi.advanceTimersByTime(2000);
      expect(reasonOf(await ending)).toBe(
        "terminated by signal 9, force termination after timeout of 1.50 seconds and linger for another 0.50 seconds",
      );
    } finally {
      vi.useRealTimers();
    }
  });

  test("kills descendants that ignore SIGTERM, also when their parent and its output have ended", async () => {
    const folder = aFolder();
    const file = join(folder, "pid");
    const script = `sh -c 'trap "" TERM; echo $$ > ${file}; while :; do sleep 600; done' >/dev/null 2>&1 & while [ ! -s ${file} ]; do sleep 0.01; done; exec sleep 600`;
    const ending = shell(script, { timeoutMs: 1_000, lingerMs: 600_000 });
    await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/\d\n/);
    expect((await ending).limit).toBe("terminated");
    const pid = Number(readFileSync(file, "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test("stops waiting for a program that survives SIGKILL", async () => {
    const folder = aFolder();
    const file = join(folder, "pid");
    try {
      // In its own session it does not get signals to the group, and it keeps the output open.
      const script = `trap '' TERM; setsid sh -c 'echo $$ > ${file}; exec sleep 600' & wait; sleep 600`;
      const ended = await shell(script, { timeoutMs: 1_000, lingerMs: 50 });
      expect(succeeded(ended)).toBe(false);
      expect(reasonOf(ended)).toBe(
        "still running after SIGKILL, sent after a timeout of 1.00 seconds",
      );
    } finally {
      await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/\d\n/);
      process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
    }
  });

  test("kills a program that prints more than the limit, and keeps only that much", async () => {
    const ended = await shell("yes");
    expect(ended.limit).toBe("output");
    expect(ended.stdout.length).toBeLessThanOrEqual(outputBytesMax);
  });

  test("rejects with a failure of the call if the program does not exist", async () => {
    const ended = runner.run({ program: "/no/such/program", args: ["-x"] });
    await expect(ended).rejects.toThrow(NodeFailure);
    await expect(ended).rejects.toThrow("Can't execute '/no/such/program -x': not found");
  });

  test("passes exactly the given variables in a clean environment", async () => {
    const given = { env: { A: "1" }, cleanEnv: true };
    const ended = await runner.run({ program: "/usr/bin/env", args: [], ...given });
    expect(ended.stdout).toBe("A=1\n");
    expect((await runner.run({ program: "env", args: [] })).stdout).toContain("LC_ALL=C\n");
  });

  test("appends output to a file if one is named", async () => {
    const folder = aFolder();
    const outputFile = join(folder, "log");
    await shell("echo one", { outputFile });
    const ended = await shell("echo two >&2", { outputFile });
    expect([readFileSync(outputFile, "utf8"), outputOf(ended)]).toEqual(["one\ntwo\n", ""]);
  });

  test("accepts input for a program that reads it and for one that does not", async () => {
    expect((await runner.run({ program: "cat", args: [], input: "words" })).stdout).toBe("words");
    expect((await runner.run({ program: "true", args: [], input: "x".repeat(1e6) })).code).toBe(0);
  });

  test("a detached program outlives the call", async () => {
    const { pid } = await runner.detach({ program: "sleep", args: ["600"] });
    expect(() => process.kill(pid, 0)).not.toThrow();
    process.kill(-pid, "SIGKILL");
  });
});
