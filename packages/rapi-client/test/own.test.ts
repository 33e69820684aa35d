// Resources of our own server only, over Node's connections and over fetch.
import { JobId } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { openRapi as openInBrowser } from "../src/browser.js";
import { serverEvents } from "../src/events.js";
import { openRapi } from "../src/index.js";
import { json, serving } from "./fake-rapi.js";

const planned = { disk_template: "drbd", disks: [{ size: 1024 }] } as const;
const said = { allocator: "hail", info: "done" };

describe.each([
  { door: "Node", open: openRapi },
  { door: "fetch", open: openInBrowser },
])("over $door", ({ open }) => {
  test("each of our own resources is requested at its path", async () => {
    const answers: Record<string, unknown> = {
      "/ganeti-ts/1/jobs/7/why": [{ kind: "lock", text: "waits for node1", holder: 6 }],
      "/ganeti-ts/1/capacity": { ...said, count: 1, placed: [], figures: { stop: "limit" } },
      "/ganeti-ts/1/balance?group=default&max-moves=3": {
        ...said,
        moved: [],
        failed: [],
        jobs: [[{ OP_ID: "OP_INSTANCE_MIGRATE" }]],
        figures: {},
      },
    };
    const { url, asked } = await serving((one, response) => json(response, answers[one.url]));
    const { own } = open({ url });
    expect(await own.why(JobId.parse(7))).toEqual(answers["/ganeti-ts/1/jobs/7/why"]);
    expect(await own.capacity(planned as never)).toEqual(answers["/ganeti-ts/1/capacity"]);
    const balance = await own.balance({ group: "default", movesMax: 3 });
    expect(balance.jobs[0]?.[0]?.OP_ID).toBe("OP_INSTANCE_MIGRATE");
    expect(asked.map(({ method, body }) => [method, body])).toEqual([
      ["GET", undefined],
      ["POST", planned],
      ["GET", undefined],
    ]);
  });

  test("a plan for maintenance is requested, and its jobs are submitted with a limit and a reason", async () => {
    const load = {
      ...{ name: "node1", group: "default", offline: false, fails_n1: false },
      ...{ memory_total: 9, memory_free: 5, memory_reserved: 1, disk_total: 9, disk_free: 9 },
      ...{ vcpus: 1, vcpus_max: 32, pinst_cnt: 1, sinst_cnt: 0 },
    };
    const plan = {
      moves: [{ instance: "web", from: ["node1", "node2"], to: ["node2", "node1"] }],
      jobs: [[{ OP_ID: "OP_INSTANCE_MIGRATE", instance_name: "web" }]],
      ...{ stuck: [], rounds: [["node1"]], no_rounds: null, before: [load], after: [load] },
    };
    const answers: Record<string, unknown> = {
      "/ganeti-ts/1/evacuation": plan,
      "/ganeti-ts/1/moves?reason=repair": [{ id: 7 }, { refused: "no" }],
      "/ganeti-ts/1/node-loads": [load],
    };
    const { url, asked } = await serving((one, response) => json(response, answers[one.url]));
    const { plans } = open({ url }).own;
    const request = { nodes: ["node1"], scope: "all" } as const;
    const { jobs } = await plans.evacuation(request);
    const submitted = await plans.submit(jobs, { atOnce: 2, reason: "repair" });
    expect(submitted).toEqual([{ id: 7 }, { refused: "no" }]);
    expect(await plans.nodeLoads()).toEqual([load]);
    expect(asked.map(({ body }) => body)).toEqual([
      ...[request, { jobs: plan.jobs, at_once: 2 }, undefined],
    ]);
  });

  test("a malformed answer of our own resources is reported", async () => {
    const { url } = await serving((_, response) => json(response, { placed: "nowhere" }));
    await expect(open({ url }).own.explain(planned as never)).rejects.toMatchObject({
      code: "unexpected",
    });
  });

  test("events come as they happen, until the server ends them", async () => {
    const { url, asked } = await serving((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(':\n\nid: e:1\nevent: job\ndata: {"id":7}\n\nid: e:2\neve');
      setTimeout(() => response.end('nt: config\ndata: {"serial":3}\n\nid: e:3\n'), 20);
    });
    const seen = [];
    for await (const event of open({ url }).own.events({ since: "e:0" })) seen.push(event);
    expect(seen).toEqual([
      { id: "e:1", kind: "job", data: { id: 7 } },
      { id: "e:2", kind: "config", data: { serial: 3 } },
    ]);
    expect(asked[0]?.url).toBe("/ganeti-ts/1/events?since=e%3A0");
  });

  test("a client that stops reading events disconnects, and the server notices", async () => {
    let left = () => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const { url } = await serving((_, response) => {
      response.on("close", () => left());
      response.write("id: e:1\nevent: job\ndata: 1\n\n");
    });
    for await (const { data } of open({ url }).own.events()) {
      expect(data).toBe(1);
      break;
    }
    await gone;
  });

  test("a signal ends them, and a refusal is one", async () => {
    const { url } = await serving((one, response) => {
      if (one.url.includes("since")) json(response, { code: 503, message: "Too many" }, 503);
      else response.write("data: 1\n\n");
    });
    const { own } = open({ url });
    const controller = new AbortController();
    const follow = async () => {
      for await (const _ of own.events({ signal: controller.signal })) controller.abort();
    };
    await expect(follow()).rejects.toMatchObject({ code: "aborted" });
    const refused = own.events({ since: "1" })[Symbol.asyncIterator]().next();
    await expect(refused).rejects.toMatchObject({ code: "refused", status: 503, says: "Too many" });
  });
});

test("events are the same however their bytes are cut", async () => {
  const bytes = Buffer.from('id: é:1\nevent: job\ndata: "ü"\n\n:\n\ndata: 2\n\n');
  for (let size = 1; size < bytes.length; size++) {
    const parts = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const seen = [];
    for await (const event of serverEvents(parts())) seen.push(event);
    expect(seen).toEqual([
      { id: "é:1", kind: "job", data: "ü" },
      { id: "", kind: "message", data: 2 },
    ]);
  }
});
