import type { Fence } from "@ganeti-ts/node-calls";
import { RefusingNodes } from "@ganeti-ts/node-calls";
import { anInstance } from "@ganeti-ts/node-calls/conformance";
import { expect, test } from "vitest";
import { noDurations } from "../src/index.js";
import { nodesUnderTest } from "./nodes-under-test.js";

const names = ["A", "B", "C"];
const { signal } = new AbortController();
const dead = { lease: "1:1", signal };
const start = { instance: anInstance(), startupPaused: false };

/** Two active workers, and a paused one that was declared dead. */
async function stage() {
  const under = await nodesUnderTest({ durations: { ...noDurations, instanceStartMs: 100 } });
  const notified: string[] = [];
  const fence: Fence = {
    fence: (node, leases, cancel) => {
      notified.push(node);
      return under.nodes.fence(node, leases, cancel);
    },
  };
  const worker = () => new RefusingNodes({ nodes: under.nodes, fence, reachable: () => names });
  return { ...under, notified, one: worker(), two: worker() };
}

test("fenced nodes refuse the dead worker's calls, including those under way, and no other calls", async () => {
  const { nodes, clock, one } = await stage();
  const late = nodes.call("A", "instance_start", start, dead);
  await one.refuse("1:1");
  await clock.pass(100);
  expect(await late).toMatchObject({ ok: false, message: "Lease 1:1 has ended" });
  for (const node of names) {
    expect(await nodes.call(node, "vg_list", {}, dead)).toMatchObject({ ok: false });
    expect(await one.call(node, "vg_list", {}, { lease: "2:1", signal })).toMatchObject({
      ok: true,
    });
  }
});

test("an unreachable node is fenced with the next call of any worker, for all leases it has missed", async () => {
  const { nodes, one, two, notified } = await stage();
  await nodes.powerOff("B");
  await one.refuse("1:1");
  two.learnFenced(["1:1", "4:1"]);
  await nodes.powerOn("B");
  expect(await nodes.call("B", "vg_list", {}, dead)).toMatchObject({ ok: true });
  notified.length = 0;
  const caller = { lease: "3:1", signal };
  for (let time = 0; time < 2; time++) {
    expect(await two.call("B", "vg_list", {}, caller)).toMatchObject({ ok: true });
  }
  expect(notified).toEqual(["B"]);
  for (const lease of ["1:1", "4:1"]) {
    expect(await nodes.call("B", "vg_list", {}, { lease, signal })).toMatchObject({ ok: false });
  }
});

test("a node that cannot be fenced is not called", async () => {
  const { nodes, two } = await stage();
  two.learnFenced(["1:1"]);
  nodes.fail({ kind: "refused", node: "A", call: "fence", times: 1 });
  const caller = { lease: "3:1", signal };
  expect(await two.call("A", "vg_list", {}, caller)).toMatchObject({ ok: false });
  expect(await two.call("A", "vg_list", {}, caller)).toMatchObject({ ok: true });
});
