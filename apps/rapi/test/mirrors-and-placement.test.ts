// Resources for the page: the state of mirrors without a job, and the score of each group.
import { Agent, request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endOf, withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
beforeAll(async () => {
  server = await aServer();
  await withInstances(server, [
    { instance_name: "drbd.example.com" },
    { instance_name: "plain.example.com", disk_template: "plain", disks: [{ size: 1024 }] },
    { instance_name: "later.example.com", forthcoming: true },
  ] as never);
});
afterAll(() => server?.end());

function get(path: string): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Basic ${btoa("rita:look")}` };
    const agent = new Agent({ rejectUnauthorized: false });
    const sent = request(`${server.url}/ganeti-ts/1/${path}`, { headers, agent }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on("error", reject).end();
  });
}

const mirrorsOf = async (name: string) => get(`instances/${name}.example.com/mirrors`);

test("a mirrored disk has its state, a plain one none, and no job is made for it", async () => {
  const jobs = (await server.world.queue.live()).counts;
  const inSync = { sync_percent: null, estimated_seconds: null, degraded: false };
  expect((await mirrorsOf("drbd")).body).toEqual([inSync]);
  expect((await mirrorsOf("plain")).body).toEqual([null]);
  expect((await server.world.queue.live()).counts).toEqual(jobs);
});

test("disks of a stopped instance have no state; a reservation and an unknown instance are 404", async () => {
  const stop = { OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name: "drbd.example.com" };
  expect((await endOf(server, await server.world.queue.submit([stop])))[0]).toBe("success");
  expect((await mirrorsOf("drbd")).body).toEqual([null]);
  expect((await mirrorsOf("later")).status).toBe(404);
  expect((await mirrorsOf("none")).status).toBe(404);
});

test("the terms of a group's score add up to it", async () => {
  const { body } = await get("placement");
  const groups = Object.values(
    body as Record<string, { score: number; terms: Record<string, number> }>,
  );
  expect(groups.length).toBe(2);
  expect(groups.some(({ score }) => score > 0)).toBe(true);
  for (const { score, terms } of groups) {
    const sum = Object.values(terms).reduce((total, term) => total + term, 0);
    expect(sum).toBeCloseTo(score, 9);
  }
});
