// Effects of filter rules, and previews of rules that are not stored, through the client.
import type { JobId } from "@ganeti-ts/protocol";
import { openRapi, type Rapi } from "@ganeti-ts/rapi-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dummyFor, endOf } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
let rapi: Rapi;
let ended: JobId;
let held: JobId[];
let pausing: string;

const isDummy = ["opcode", ["==", "OP_ID", "OP_TEST_DUMMY"]] as const;

beforeAll(async () => {
  server = await aServer("--no-ssl");
  rapi = openRapi({ url: server.url, user: "jack", password: "abc123" });
  const { queue } = server.world;
  ended = await queue.submit([dummyFor("before")]);
  await endOf(server, ended);
  pausing = await rapi.filters.add({ priority: 10, predicates: [isDummy], action: "PAUSE" });
  held = [
    await queue.submit([dummyFor("rate-limit:2:mine")]),
    await queue.submit([dummyFor("rate-limit:2:mine")]),
    await queue.submit([dummyFor("other")]),
  ];
});
afterAll(() => server.end());

test("effects count the unfinished jobs of each rule and of each ad-hoc limit", async () => {
  const { rules, buckets, limit, running, queued } = await rapi.own.ruleEffects();
  expect(rules).toEqual({ [pausing]: { running: 0, queued: 3 } });
  expect(buckets).toEqual([{ text: "rate-limit:2:mine", limit: 2, running: 0, queued: 2 }]);
  expect([limit, running, queued]).toEqual([20, 0, 3]);
});

test("a preview lists queued and recent jobs that a new rule would catch, and stores nothing", async () => {
  const rule = { priority: 1, predicates: [isDummy], action: "REJECT" as const };
  const preview = await rapi.own.previewRule({ rule });
  expect(preview.caught.map(({ id, open, earlier }) => [id, open, earlier])).toEqual([
    ...held.toReversed().map((id) => [id, true, null]),
    [ended, false, null],
  ]);
  expect(preview).toMatchObject({ open_count: 3, ended_count: 1, ended_looked: 1, faults: [] });
  expect(preview.watermark).toBe(held.at(-1));
  expect(await rapi.filters.list()).toHaveLength(1);
  expect((await rapi.own.ruleEffects()).rules).toEqual({ [pausing]: { running: 0, queued: 3 } });
});

test("a preview names the rule that decides first, unless that is the replaced rule itself", async () => {
  const rule = { priority: 20, predicates: [isDummy], action: "ACCEPT" as const };
  const earlier = async (uuid?: string) => {
    const { caught } = await rapi.own.previewRule({ rule, ...(uuid && { uuid }) });
    return [...new Set(caught.map((one) => one.earlier))];
  };
  expect(await earlier()).toEqual([pausing]);
  expect(await earlier(pausing)).toEqual([null]);
  const between = await rapi.filters.add({ priority: 15, action: "PAUSE" });
  expect(await earlier(pausing)).toEqual([between]);
  await rapi.filters.remove(between);
});

test("the preview of a stored rule uses its own watermark", async () => {
  const { watermark, caught } = await rapi.own.previewRule({ uuid: pausing });
  expect(watermark).toBe(ended);
  expect(caught).toHaveLength(4);
});

test("every fault of a rule is named with the predicate that has it", async () => {
  const predicates = [
    ["opcode", ["=~", "OP_ID", "("]],
    isDummy,
    ["jobid", [">", "id", "watermrk"]],
    ["reason", ["<>", "reason", "x"]],
  ];
  const rule = { predicates, action: ["RATE_LIMIT", 0] } as never;
  const { faults, caught } = await rapi.own.previewRule({ rule });
  expect(faults.map(({ predicate }) => predicate)).toEqual([0, 2, 3, null]);
  expect(faults.map(({ text }) => text)).toEqual([
    expect.stringContaining("regular expression"),
    expect.stringContaining("watermrk"),
    expect.stringContaining("Unknown filter operand"),
    expect.stringContaining("RATE_LIMIT argument"),
  ]);
  expect(caught).toEqual([]);
  const gone = await rapi.own.previewRule({ uuid: "3a2b6f74-0000-4000-8000-000000000000" });
  expect(gone.faults[0]?.text).toContain("does not exist");
});

test("a change of the rules is an event", async () => {
  const controller = new AbortController();
  const events = rapi.own.events({ signal: controller.signal })[Symbol.asyncIterator]();
  const next = events.next();
  // The stream begins with the next event: rules are added until one is seen.
  let seen = false;
  void next.then(() => {
    seen = true;
  });
  while (!seen) {
    const uuid = await rapi.filters.add({ priority: 99, predicates: [["jobid", ["<", "id", 1]]] });
    await rapi.filters.remove(uuid);
  }
  expect((await next).value).toMatchObject({ kind: "rules" });
  controller.abort();
  await events.next().catch(() => undefined);
});
