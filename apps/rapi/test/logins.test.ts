// Wrong passwords on page and API: refusals with growing delays, log lines and records.
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { MemoryAccessStore } from "@ganeti-ts/job-queue";
import { systemClock } from "@ganeti-ts/protocol";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { trustedProxies } from "../src/http/remote.js";
import type { Log } from "../src/log.js";
import { createServer } from "../src/server.js";
import { aWorld } from "./world.js";

const page = {
  host: "cluster.example.com",
  origin: "https://cluster.example.com",
  "x-ganeti-ui": "active",
};

interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Address of the socket. */
  readonly from?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** A request with a body, as a socket of this address delivers it. */
function comingFrom(remoteAddress: string, body: string): IncomingMessage {
  const incoming = new IncomingMessage(
    Object.defineProperty(new Socket(), "remoteAddress", { value: remoteAddress }),
  );
  incoming.push(body);
  incoming.push(null);
  return incoming;
}

/** A server whose delays pass by a virtual clock, and its log. */
async function aSite() {
  const timers = new VirtualClock();
  const lines: unknown[] = [];
  const nothing = () => {};
  const log: Log = {
    ...{ info: nothing, error: nothing, debug: nothing },
    warn: (facts, message) => lines.push([message, facts]),
  };
  const access = new MemoryAccessStore();
  const proxies = trustedProxies("10.0.0.0/8");
  const world = await aWorld({ timers, log, access, proxies });
  const app = createServer(world);
  const send = async (sent: Sent, user?: string): Promise<Response> => {
    const { method = "GET", path = "/2/info", from = "192.0.2.7", headers } = sent;
    const body = sent.body === undefined ? "" : JSON.stringify(sent.body);
    const all = {
      "content-type": "application/json",
      "content-length": String(body.length),
      ...(user && { authorization: `Basic ${btoa(user)}` }),
      ...headers,
    };
    const incoming = comingFrom(from, body);
    return app.request(path, { method, headers: all }, { incoming } as never);
  };
  return { timers, lines, access, send, metrics: world.metrics };
}

/** Whether the answer comes only after the clock has moved that far (ms). */
async function comesAfter(ms: number, timers: VirtualClock, answer: Promise<Response>) {
  let isThere = false;
  void answer.then(() => {
    isThere = true;
  });
  await timers.pass(ms - 1);
  const isEarly = isThere;
  await timers.pass(1);
  return !isEarly && (await answer).status;
}

test("refused logins are counted separately for wrong passwords and for too many attempts", async () => {
  const { timers, send, metrics } = await aSite();
  const counts = async () => {
    const text = await metrics.text();
    return ["wrong", "too many"].map((reason) =>
      Number(new RegExp(`failed_logins_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1]),
    );
  };
  expect(await counts()).toEqual([0, 0]);
  await send({}, "jack:abc123");
  for (const user of ["jack:sw0rdfish", "jack:x", "jack:"]) await send({}, user);
  expect(await counts()).toEqual([3, 0]);
  const answers = Array.from({ length: 60 }, () => send({}, "jack:abc123"));
  await timers.pass(10_000);
  await Promise.all(answers);
  expect(await counts()).toEqual([3, 20]);
});

test("thirty wrong passwords are logged and recorded with user and address, with growing delays", async () => {
  const { timers, lines, access, send } = await aSite();
  for (let at = 0; at < 3; at++) expect((await send({}, "jack:sw0rdfish")).status).toBe(401);
  const waits = [250, 500, 1000, 2000, 4000, ...Array<number>(22).fill(8000)];
  for (const ms of waits)
    expect(await comesAfter(ms, timers, send({}, "jack:sw0rdfish"))).toBe(401);
  expect(lines).toHaveLength(30);
  expect(lines[29]).toEqual(["login failed", { user: "jack", address: "192.0.2.7", failures: 30 }]);
  const records = await access.latest(100);
  expect(records).toHaveLength(30);
  expect(records[0]).toMatchObject({ action: "failed login", user: "jack", address: "192.0.2.7" });
  expect(JSON.stringify([lines, records])).not.toContain("sw0rdfish");
});

test("the right password waits as well, so that delays reveal nothing; from another address it waits at most two seconds", async () => {
  const { timers, send } = await aSite();
  for (let at = 0; at < 3; at++) await send({}, "jack:sw0rdfish");
  expect(await comesAfter(250, timers, send({}, "jack:abc123"))).toBe(200);
  const from = (address: string) => ({ from: address, path: "/2/info" });
  for (let at = 0; at < 60; at++) {
    const attack = send(from(`198.51.100.${at}`), "jack:sw0rdfish");
    await timers.pass(2000);
    expect((await attack).status).toBe(401);
  }
  expect(await comesAfter(2000, timers, send(from("203.0.113.1"), "jack:abc123"))).toBe(200);
  // From there it is known, and other users never waited.
  expect((await send(from("203.0.113.1"), "jack:abc123")).status).toBe(200);
  expect((await send(from("203.0.113.2"), "reader:look")).status).toBe(200);
});

test("the login of the page shares the delays of the API, and many attempts at once are refused", async () => {
  const { timers, send } = await aSite();
  const login = (password: string) =>
    send({
      ...{ method: "POST", path: "/ui/session", headers: page },
      body: { user: "jack", password },
    });
  for (let at = 0; at < 3; at++) await send({}, "jack:sw0rdfish");
  const answers = Array.from({ length: 60 }, () => login("abc123"));
  const refused = await Promise.race(answers);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "8"]);
  expect(await refused.text()).toContain("Too many failed logins from 192.0.2.7");
  await timers.pass(10_000);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  // One each 250 ms, for ten seconds.
  expect(statuses.filter((status) => status === 200)).toHaveLength(40);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
});

test("behind a trusted proxy each client has its own delays; other senders of the header have not", async () => {
  const { lines, timers, send } = await aSite();
  const by = (proxy: string, client: string) => ({
    from: proxy,
    headers: { "x-forwarded-for": client },
  });
  for (let at = 0; at < 3; at++) await send(by("10.0.0.1", "198.51.100.1"), "eve:sw0rdfish");
  expect((await send(by("10.0.0.1", "198.51.100.2"), "jack:abc123")).status).toBe(200);
  const slow = send(by("10.0.0.1", "198.51.100.1"), "jack:abc123");
  expect(await comesAfter(250, timers, slow)).toBe(200);
  for (let at = 0; at < 3; at++) await send(by("192.0.2.9", `198.51.100.${at}`), "eve2:sw0rdfish");
  expect(lines.at(-1)).toEqual([
    "login failed",
    { user: "eve2", address: "192.0.2.9", failures: 3 },
  ]);
});

test("a wrong password is refused even if its record cannot be stored", async () => {
  const access = new MemoryAccessStore();
  access.add = async () => Promise.reject(new Error("disk full"));
  const world = await aWorld({ access, timers: systemClock });
  const { status } = await world.ask("GET", "/2/info", { user: "jack:sw0rdfish" });
  expect(status).toBe(401);
});
