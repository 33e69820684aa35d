import type { Executor } from "@ganeti-ts/job-queue";
import { expect, test } from "vitest";
import { createServer } from "../src/server.js";
import { aWorld } from "./world.js";

/** A server, and the texts of its log. */
async function logged(executor: Executor) {
  const world = await aWorld({ executor });
  const told: string[] = [];
  const tells = (level: string) => (_: unknown, text: string) =>
    void told.push(`${level}: ${text}`);
  const log = { ...world.log, debug: tells("debug"), error: tells("error") } as typeof world.log;
  const server = createServer({ ...world, log });
  const headers = { authorization: `Basic ${btoa("jack:abc123")}` };
  const ask = (path: string, signal?: AbortSignal) =>
    server.request(path, { headers, ...(signal && { signal }) });
  return { world, told, ask };
}

test("a client that leaves while it waits for a job is not logged as an error of the server", async () => {
  const { world, told, ask } = await logged({ run: () => new Promise(() => {}) });
  const client = new AbortController();
  const answer = ask("/2/os", client.signal);
  await expect.poll(() => world.queue.query([], ["id"])).toHaveLength(1);
  client.abort();
  await answer;
  expect(told).toEqual(["debug: the client went away"]);
});

test("a refused query is not an error of the server", async () => {
  const { told, ask } = await logged({ run: async () => null });
  expect((await ask("/2/query/os/fields")).status).toBe(400);
  expect((await ask("/2/query/nosuch/fields")).status).toBe(404);
  expect(told).toEqual(["debug: request", "debug: request"]);
});

test("a failure of the server is logged as an error", async () => {
  const { world, told, ask } = await logged({ run: async () => null });
  world.jobs.ids = () => Promise.reject(new TypeError("no such thing"));
  expect((await ask("/2/jobs")).status).toBe(500);
  expect(told).toEqual(["error: request failed"]);
});
