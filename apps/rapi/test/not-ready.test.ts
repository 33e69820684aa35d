// Servers that are stopped before they are ready, or cannot start: they leave nothing behind that prevents another start.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noDurations } from "@ganeti-ts/simulated-nodes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog, type Log } from "../src/log.js";
import { serve } from "../src/program/serve.js";
import { serverOptions } from "./served.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "not-ready-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Another server can start in the directory, and stop. */
async function expectFree(place: string): Promise<void> {
  expect(existsSync(join(place, "rapi.pid"))).toBe(false);
  expect(existsSync(join(place, "rapi.sock"))).toBe(false);
  const options = serverOptions(place, ["--no-ssl"]);
  const server = await serve(options, createLog("silent"), { durations: noDurations });
  expect(server.cluster.snapshot().cluster.cluster_name).toBe("demo.example.com");
  await server.stop();
}

test.each(["at first", "cluster created", "no users"])(
  "told to stop when it says '%s', a server gives up what it has begun",
  async (when) => {
    const place = join(folder, when);
    const told: string[] = [];
    const unwanted = new AbortController();
    const hear = (_: object, text: string) => {
      told.push(text);
      if (text.startsWith(when)) unwanted.abort();
    };
    const log: Log = { debug: hear, info: hear, warn: hear, error: hear };
    if (when === "at first") unwanted.abort();
    const options = serverOptions(place, ["--no-ssl"]);
    const choices = { durations: noDurations, unwanted: unwanted.signal };
    await expect(serve(options, log, choices)).rejects.toThrow("aborted");
    expect(told).not.toContain("ready");
    await expectFree(place);
  },
);

test("if the port is in use, the server releases everything that it has begun", async () => {
  const place = join(folder, "port");
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  const options = serverOptions(place, ["--no-ssl", "-p", String(port)]);
  const serving = serve(options, createLog("silent"), { durations: noDurations });
  await expect(serving).rejects.toThrow("EADDRINUSE");
  other.close();
  await expectFree(place);
});
