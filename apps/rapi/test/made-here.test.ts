// A cluster that was made here shows nothing to clients without a user.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../src/log.js";
import { readOptions } from "../src/program/options.js";
import { type Served, serve } from "../src/program/serve.js";
import { sendBySocket } from "./by-socket.js";

const folder = mkdtempSync(join(tmpdir(), "rapi-"));
let server: Served;
beforeAll(async () => {
  mkdirSync(join(folder, "rapi"));
  writeFileSync(join(folder, "rapi", "users"), "reader look read\n");
  const options = readOptions(["--data-dir", folder, "-p0", "--no-ssl", "--init=demo.example.com"]);
  if (typeof options === "string") throw new Error(options);
  server = await serve(options, createLog("silent"));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const statusOf = async (path: string, user?: string): Promise<number> => {
  const headers = user === undefined ? {} : { authorization: `Basic ${btoa(user)}` };
  return (await fetch(`${server.url}${path}`, { headers, redirect: "manual" })).status;
};

test("jobs, objects and the cluster itself are shown to any user, but not without one", async () => {
  await server.world.queue.submit([{ OP_ID: "OP_CLUSTER_VERIFY" }]);
  for (const path of ["/2/jobs?bulk=1", "/2/jobs/1", "/2/instances", "/2/info", "/2/filters"]) {
    expect([path, await statusOf(path)]).toEqual([path, 401]);
    expect([path, await statusOf(path, "reader:look")]).toEqual([path, 200]);
  }
});

test("health, description and login need no user, and the local socket has all rights", async () => {
  for (const path of ["/healthz", "/openapi.json", "/"]) {
    expect([path, await statusOf(path)]).toEqual([path, 200]);
  }
  const socketPath = server.directory.socket;
  expect((await sendBySocket({ socketPath, path: "/2/jobs" })).status).toBe(200);
});
