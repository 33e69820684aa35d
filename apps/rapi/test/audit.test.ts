// The audit of jobs with users, times and reasons, through the client.
import type { JobId } from "@ganeti-ts/protocol";
import { openRapi, type Rapi } from "@ganeti-ts/rapi-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dummy, endOf, withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
let rapi: Rapi;
let stopped: JobId;
let parent: JobId;
/** Submitted by the local socket. */
let started: JobId;

beforeAll(async () => {
  server = await aServer("--no-ssl");
  rapi = openRapi({ url: server.url, user: "jack", password: "abc123" });
  await withInstances(server, [{ instance_name: "web1.example.com" }]);
  stopped = await rapi.instances.shutdown("web1.example.com", {}, { reason: "Disk is failing" });
  await endOf(server, stopped);
  const { queue } = server.world;
  const child = { ...dummy, submit_jobs: [[dummy]] };
  const reason = [["gnt:user", "the whole family", 1]];
  parent = await queue.submit([{ ...dummy, reason, submit_jobs: [[child], [dummy]] }]);
  while ((await queue.live()).counts.get("success") !== 6) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
afterAll(() => server.end());

const jobsOf = async (wanted?: Parameters<Rapi["own"]["audit"]>[0]) =>
  (await rapi.own.audit(wanted)).entries.flatMap((one) => (one.kind === "job" ? [one] : []));
const ids = async (wanted: Parameters<Rapi["own"]["audit"]>[0]) =>
  (await jobsOf(wanted)).map(({ id }) => id);

test("an entry has the user of the request, the given reason and the trail", async () => {
  const [entry] = await jobsOf({ text: "failing" });
  expect(entry).toMatchObject({
    ...{ id: stopped, user: "jack", why: ["Disk is failing"], causes: [], status: "success" },
    summary: ["INSTANCE_SHUTDOWN(web1.example.com)"],
  });
  expect(entry?.reasons.map(({ source }) => source)).toEqual([
    ...["ganeti-ts:user:jack", "gnt:user", "gnt:library:rlib2:instances_name_shutdown"],
    "gnt:opcode:instance_shutdown",
  ]);
  const agoMs = Date.now() - (entry?.reasons[0]?.time ?? 0);
  expect(agoMs).toBeGreaterThanOrEqual(0);
  expect(agoMs).toBeLessThan(600_000);
});

test("a request by the local socket has no user in its trail: the socket is the administrator's", async () => {
  const { text } = await server.send("PUT", "/2/instances/web1.example.com/startup");
  started = JSON.parse(text) as JobId;
  await endOf(server, started);
  const [entry] = await jobsOf({ before: started + 1, cause: started });
  expect(entry).toMatchObject({ id: started, user: null });
  expect(entry?.reasons[0]?.source).toBe("gnt:library:rlib2:instances_name_startup");
});

test("jobs are found by user, source, and the objects that they touched", async () => {
  expect(await ids({ user: "JACK" })).toEqual([stopped]);
  expect(await ids({ user: "rita" })).toEqual([]);
  expect(await ids({ source: "rlib2:instances_name_shutdown" })).toEqual([stopped]);
  expect(await ids({ object: "web1.example.com" })).toEqual([started, stopped, 1]);
  expect(await ids({ object: "web1" })).toEqual([started, stopped, 1]);
  expect(await ids({ object: "web" })).toEqual([]);
});

test("a node is affected by a job whose result names it, even if its request does not", async () => {
  const instance = server.cluster.snapshot().find("instance", "web1.example.com");
  const node = server.cluster.snapshot().find("node", String(instance?.primary_node));
  expect(await ids({ object: String(node?.name) })).toEqual([1]);
});

test("the jobs that a job led to name their causes, from the first to the last", async () => {
  const entries = await jobsOf({ cause: parent });
  const byId = new Map(entries.map((entry) => [entry.id, entry.causes]));
  expect(entries).toHaveLength(4);
  expect(byId.get(parent)).toEqual([]);
  const depths = [...byId.values()].map((causes) => causes.length).toSorted();
  expect(depths).toEqual([0, 1, 1, 2]);
  expect([...byId.values()].every((causes) => causes.every((id) => byId.has(id)))).toBe(true);
  expect(entries.every(({ why }) => why[0] === "the whole family")).toBe(true);
});

test("a time range keeps jobs that were submitted in it", async () => {
  const now = Math.floor(Date.now() / 1000);
  expect(await ids({ from: now + 3600 })).toEqual([]);
  expect(await ids({ to: now - 3600 })).toEqual([]);
  expect(await ids({ from: now - 3600, to: now + 3600 })).toHaveLength(7);
});

test("the audit contains archived jobs, and each answer continues the previous one", async () => {
  expect(await server.world.queue.archive(stopped)).toBe(true);
  expect(await ids({ user: "jack" })).toEqual([stopped]);
  const { next } = await rapi.own.audit({ before: stopped });
  expect(next).toBe(null);
  expect(await ids({ before: stopped })).toEqual([1]);
});

test("an answer of the audit examines a few thousand jobs, and the next one continues there", async () => {
  const { queue } = server.world;
  await queue.change({ runningMax: 0 });
  await queue.submitMany(Array.from({ length: 4100 }, () => [dummy]));
  const first = await rapi.own.audit({ user: "jack" });
  expect([first.entries, first.looked]).toEqual([[], 4000]);
  const second = await rapi.own.audit({ user: "jack", before: String(first.next) });
  expect(second.entries.map(({ id }) => id)).toEqual([stopped]);
  const all = await rapi.own.audit();
  expect(all.entries).toHaveLength(200);
  expect(all.next?.split(".")[0]).toBe(String(all.entries.at(-1)?.id));
  expect([all.last, first.last]).toEqual([all.entries[0]?.id, all.entries[0]?.id]);
});
