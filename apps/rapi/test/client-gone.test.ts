import { expect, test } from "vitest";
import { createServer } from "../src/server.js";
import { aWorld } from "./world.js";

test("a client that leaves while a job is waited for is no error of the server", async () => {
  const world = await aWorld({ executor: { run: () => new Promise(() => {}) } });
  const told: string[] = [];
  const tells = (level: string) => (_: unknown, text: string) =>
    void told.push(`${level}: ${text}`);
  const log = { ...world.log, debug: tells("debug"), error: tells("error") } as typeof world.log;
  const client = new AbortController();
  const headers = { authorization: `Basic ${btoa("jack:abc123")}` };
  const answer = createServer({ ...world, log }).request("/2/os", {
    headers,
    signal: client.signal,
  });
  await expect.poll(() => world.queue.query([], ["id"])).toHaveLength(1);
  client.abort();
  await answer;
  expect(told).toEqual(["debug: the client went away"]);
});
