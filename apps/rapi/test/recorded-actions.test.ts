// Actions that create no job, in the audit with user, address, time and outcome.
import { createLuxiClient, type LuxiClient } from "@ganeti-ts/luxi";
import type { JobId } from "@ganeti-ts/protocol";
import { openRapi, type Rapi } from "@ganeti-ts/rapi-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dummy } from "./instances.js";
import { aSpecialServer, type TestServer } from "./served.js";

const users = "mary abc123 read,write,full\n";
let server: TestServer;
let luxi: LuxiClient;
let rapi: Rapi;
const open = async (served: TestServer) => {
  server = served;
  rapi = openRapi({ url: server.url, user: "mary", password: "abc123" });
  luxi = createLuxiClient({ path: server.luxi.path });
};
beforeAll(async () => {
  await open(await aSpecialServer({ users }, "--no-ssl"));
  await server.world.queue.change({ runningMax: 0 });
});
afterAll(async () => {
  luxi.close();
  await server.end();
});

async function send(method: string, path: string, body?: unknown, headers: object = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Basic ${btoa("mary:abc123")}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.text();
  return response;
}

const queued = (): Promise<JobId> => server.world.queue.submit([dummy]);
const actions = async (wanted: Parameters<Rapi["own"]["audit"]>[0] = {}) =>
  (await rapi.own.audit(wanted)).entries.flatMap((one) => (one.kind === "action" ? [one] : []));
const latest = async () => (await actions())[0];
const byMary = { user: "mary", address: "127.0.0.1" };
const locally = { user: null, address: null };

test("cancellations over TCP and the local protocol are recorded with their outcome", async () => {
  const [one, other] = [await queued(), await queued()];
  const before = Date.now() / 1000;
  await send("DELETE", `/2/jobs/${one}`);
  const found = await latest();
  const text = `Dequeued job ${one}`;
  expect(found).toMatchObject({
    ...{ ...byMary, action: "cancel", object: `job ${one}`, done: true, text },
  });
  const [seconds, micros] = found?.time ?? [0, 0];
  expect(seconds + micros / 1e6).toBeGreaterThanOrEqual(before - 1);
  await luxi.cancelJob({ id: other, kill: false });
  expect(await latest()).toMatchObject({ ...locally, object: `job ${other}`, done: true });
  await send("PUT", `/ganeti-ts/1/jobs/${one}/kill`);
  expect(await latest()).toMatchObject({ ...byMary, object: `job ${one}`, done: false });
});

test("changes of a priority, even refused ones, of the drain flag and of the watcher's pause are recorded", async () => {
  const id = await queued();
  await send("PUT", `/ganeti-ts/1/jobs/${id}/priority`, { priority: 10 });
  const ofJob = { action: "priority", object: `job ${id}` };
  expect(await latest()).toMatchObject({ ...byMary, ...ofJob, done: true });
  expect((await send("PUT", `/ganeti-ts/1/jobs/${id}/priority`, { priority: 3 })).status).toBe(400);
  expect(await latest()).toMatchObject({
    ...{ ...ofJob, done: false, text: expect.stringContaining("Invalid priority 3") },
  });
  await luxi.setDrainFlag({ drained: true });
  expect(await latest()).toMatchObject({ ...locally, action: "queue", text: '{"drained":true}' });
  await send("PUT", "/ganeti-ts/1/queue", { drained: false });
  expect(await latest()).toMatchObject({ ...byMary, action: "queue", text: '{"drained":false}' });
  await send("PUT", "/ganeti-ts/1/watcher", { pause_until: 1_900_000_000 });
  const text = "paused until 2030-03-17T17:46:40.000Z";
  expect(await latest()).toMatchObject({ ...byMary, action: "watcher", text });
});

test("added, replaced and deleted filter rules are recorded with their effect", async () => {
  const rule = { priority: 5, predicates: [["jobid", ["<", "id", 1]]], action: "PAUSE" };
  await send("POST", "/2/filters", rule);
  const uuid = server.world.queue.rules[0]?.uuid as string;
  const text = 'priority 5, "PAUSE", [["jobid",["<","id",1]]]';
  expect(await latest()).toMatchObject({ ...byMary, action: "add rule", object: uuid, text });
  await send("PUT", `/2/filters/${uuid}`, { ...rule, action: "REJECT" });
  const replaced = { action: "replace rule", text: text.replace("PAUSE", "REJECT") };
  expect(await latest()).toMatchObject({ ...byMary, object: uuid, ...replaced });
  await luxi.deleteFilter({ uuid: uuid as never });
  const deleted = { action: "delete rule", text: replaced.text };
  expect(await latest()).toMatchObject({ ...locally, object: uuid, ...deleted });
  await send("DELETE", `/2/filters/${uuid}`);
  expect(await latest()).toMatchObject({ ...byMary, action: "delete rule", done: false });
});

test("commands on nodes are recorded without their text, which may contain a password, and so are simulated failures", async () => {
  const command = { command: "echo hidden" };
  await send("POST", "/ganeti-ts/1/nodes/nosuch.example.com/command", command);
  const found = await latest();
  expect(found).toMatchObject({ ...byMary, action: "command", object: "nosuch.example.com" });
  expect(JSON.stringify(found)).not.toContain("hidden");
  await send("PUT", "/ganeti-ts/1/simulation/node2.example.com", { action: "kill" });
  const simulated = { action: "simulate", object: "node2.example.com", text: "kill" };
  expect(await latest()).toMatchObject({ ...byMary, ...simulated });
});

test("a login to the page, a failed login and a logout are recorded", async () => {
  const { host, origin } = new URL(server.url);
  const page = { host, origin, "x-ganeti-ui": "active" };
  const login = (password: string) => send("POST", "/ui/session", { user: "mary", password }, page);
  const cookie = (await login("abc123")).headers.get("set-cookie")?.split(";")[0] ?? "";
  expect(await latest()).toMatchObject({ ...byMary, action: "login", done: true });
  expect((await login("wrong")).status).toBe(401);
  expect(await latest()).toMatchObject({ ...byMary, action: "failed login", done: false });
  await send("DELETE", "/ui/session", undefined, { ...page, cookie });
  expect(await latest()).toMatchObject({ ...byMary, action: "logout", done: true });
  await send("GET", "/2/info", undefined, { authorization: `Basic ${btoa("eve:guess")}` });
  expect(await latest()).toMatchObject({ user: "eve", action: "failed login" });
});

test("records are found by user, text, object and time, and stay when the server starts again", async () => {
  const all = await actions();
  expect((await actions({ user: "eve" })).map(({ action }) => action)).toEqual(["failed login"]);
  expect(await actions({ text: "simulate" })).toHaveLength(1);
  expect(await actions({ object: "node2.example.com" })).toHaveLength(1);
  expect(await actions({ source: "gnt" })).toEqual([]);
  expect(await actions({ from: Math.floor(Date.now() / 1000) + 3600 })).toEqual([]);
  luxi.close();
  await open(await server.again());
  expect(await actions()).toEqual(all);
});

test("jobs and records come in the order of time, and each answer goes on where the last one ended", async () => {
  const { queue, access } = server.world;
  await queue.submitMany(Array.from({ length: 150 }, () => [dummy]));
  for (let at = 0; at < 150; at++) {
    const record = { ...locally, action: "queue", object: `part ${at}`, done: true, text: "" };
    await access.add({ ...record, at: Date.now() * 1000 });
  }
  const last = await queued();
  const first = await rapi.own.audit();
  expect(first.entries.map(({ kind }) => kind)).toEqual([
    ...["job", ...Array(150).fill("action"), ...Array(49).fill("job")],
  ]);
  expect(first.entries[0]?.id).toBe(last);
  const seen = new Set(first.entries.map(({ kind, id }) => `${kind} ${id}`));
  const count = seen.size;
  const second = await rapi.own.audit({ before: String(first.next) });
  for (const { kind, id } of second.entries) seen.add(`${kind} ${id}`);
  expect(seen.size).toBe(count + second.entries.length);
  const everything = queue.lastId + (await access.latest(1000)).length;
  expect([second.next, seen.size]).toEqual([null, everything]);
  // From a job on: records after it are left out.
  const older = await rapi.own.audit({ before: last });
  expect(older.entries[0]).toMatchObject({ kind: "action", object: "part 149" });
  const oldest = await rapi.own.audit({ before: 1 });
  expect(oldest.entries).toEqual([]);
});
