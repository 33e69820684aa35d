// The built program with an unwritable log: it serves, reports the problem in its metrics, and
// stops on a signal.
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendBySocket } from "../by-socket.js";

const program = join(import.meta.dirname, "../../dist/ganeti-rapi.js");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "life-log-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test.runIf(process.platform === "linux")(
  "a server whose log is on a full disk answers, counts the lines and ends with 0 on SIGTERM",
  async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(
      process.execPath,
      [program, "--data-dir", folder, "-p", "0", "--no-ssl", "-d", "--init=demo.example.com"],
      { stdio: ["ignore", "ignore", full] },
    );
    closeSync(full);
    const ended = new Promise((resolve) =>
      child.once("exit", (code, signal) => resolve(code ?? signal)),
    );
    try {
      const ask = (path: string) =>
        sendBySocket({
          socketPath: join(folder, "rapi.sock"),
          path,
          agent: false,
          timeout: 60_000,
        });
      await expect
        .poll(() => ask("/2/info").then(({ status }) => status, String), { timeout: 300_000 })
        .toBe(200);
      const waiting = async () => {
        const { text } = await ask("/metrics");
        return Number(/ganeti_log_lines\{state="waiting"\} (\d+)/.exec(text)?.[1]);
      };
      const before = await waiting();
      expect(before).toBeGreaterThan(0);
      await ask("/2/info");
      expect(await waiting()).toBeGreaterThan(before);
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    } finally {
      child.kill("SIGKILL");
    }
  },
);
