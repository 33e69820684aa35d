import type { Snapshot } from "@ganeti-ts/config";
import { answered, failed, type NodeBackend } from "@ganeti-ts/node-calls";
import { aSnapshot } from "@ganeti-ts/testkit/configuration";
import { expect, test } from "vitest";
import { watchMaster } from "./master-watch.js";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A watch on three nodes; `named` is the master according to each of them, `calls` the number of calls. */
function watched() {
  const world = { named: ["us", "us", "us"] as (string | null)[], calls: 0, now: 0 };
  const snapshot: Snapshot = aSnapshot();
  const uuids = [...snapshot.nodes()].map(({ uuid }) => String(uuid));
  const nodes = {
    call: async (uuid: string) => {
      world.calls++;
      const name = world.named[uuids.indexOf(uuid)];
      return name ? answered(name) : failed("Error 7: Failed connect");
    },
  } as unknown as NodeBackend;
  const watch = watchMaster("us", { now: () => world.now });
  watch.begin(nodes, () => snapshot);
  /** The verdict after a vote that is due. */
  const later = async () => {
    world.now += 30_000;
    watch.foreignMaster();
    await settled();
    return watch.foreignMaster();
  };
  return { world, watch, later };
}

test.each([
  { why: "all name this one", named: ["us", "us", "us"], reason: undefined },
  { why: "one still names the old master", named: ["us", "us", "old"], reason: undefined },
  { why: "most do not answer", named: ["us", null, null], reason: undefined },
  { why: "the others name different ones", named: [null, "x", "y"], reason: undefined },
  {
    why: "most name another node",
    named: ["us", "other", "other"],
    reason: "2 of 3 nodes take other for the master",
  },
])(
  "while this server is the master and $why, the verdict is: $reason",
  async ({ named, reason }) => {
    const { world, later } = watched();
    expect(await later()).toBeUndefined();
    world.named = named;
    expect(await later()).toBe(reason);
  },
);

test("nodes are asked at most every 30 seconds, however often the verdict is read", async () => {
  const { world, watch, later } = watched();
  for (let n = 0; n < 10; n++) watch.foreignMaster();
  expect(world.calls).toBe(0);
  await later();
  await later();
  expect(world.calls).toBe(6);
});

test("a verdict for another master stays, even if the nodes change their votes", async () => {
  const { world, later } = watched();
  world.named = ["other", "other", "other"];
  expect(await later()).toBeDefined();
  world.named = ["us", "us", "us"];
  expect(await later()).toBeDefined();
});
