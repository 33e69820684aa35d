// Start times of the rounds of several groups, on a virtual clock.
import type { JsonObject } from "@ganeti-ts/protocol";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { openCluster } from "../src/index.js";
import { basics, closing, madeOn, portsOf } from "./a-cluster.js";

/** A cluster of four groups, three of them empty, and the start times (ms) of their rounds. */
async function fourGroups(intervalMs: number) {
  const clock = new VirtualClock();
  const { nodes, stores } = await madeOn(clock);
  const begun: { readonly at: number; readonly group: string }[] = [];
  const cluster = await openCluster({
    ...{ ...basics, clock, stores, nodes: portsOf(nodes) },
    watcher: {
      intervalMs,
      notes: {
        // Loading the notes is the first action in a round of a group.
        async load(group) {
          begun.push({ at: clock.now() - openedAt, group });
          return undefined;
        },
        save: async () => {},
      },
    },
  });
  const openedAt = clock.now();
  closing(cluster);
  const job = async (opcode: JsonObject) => {
    const id = await cluster.queue.submit([opcode]);
    await clock.pass(100);
    expect((await cluster.queue.ended(id)).status).toBe("success");
  };
  for (const group_name of ["one", "two", "three"])
    await job({ OP_ID: "OP_GROUP_ADD", group_name });
  return { clock, cluster, begun, job };
}

const timesOf = (begun: readonly { readonly at: number }[]): readonly number[] =>
  begun.map(({ at }) => at);

test("rounds of groups begin one second after each other, each group's in the same interval", async () => {
  const { clock, cluster, begun } = await fourGroups(300_000);
  await clock.pass(700_000);
  expect(timesOf(begun.slice(0, 4))).toEqual([300_000, 301_000, 302_000, 303_000]);
  expect(timesOf(begun.slice(4))).toEqual([600_000, 601_000, 602_000, 603_000]);
  const groups = Array.from(cluster.snapshot().groups(), ({ uuid }) => uuid as string);
  expect(begun.map(({ group }) => group)).toEqual([...groups, ...groups]);
});

test("if the interval is too short for gaps of a second, the rounds are spread evenly over it", async () => {
  const { clock, begun } = await fourGroups(2000);
  await clock.pass(5900 - 300);
  expect(timesOf(begun)).toEqual([2000, 2500, 3000, 3500, 4000, 4500, 5000, 5500]);
});

test("a pause of the watcher applies to groups whose rounds have not started", async () => {
  const { clock, cluster, begun } = await fourGroups(300_000);
  await clock.pass(301_500 - 300);
  await cluster.objects.pauseWatcher(clock.wallMicros() / 1e6 + 100);
  await clock.pass(200_000);
  expect(timesOf(begun)).toEqual([300_000, 301_000]);
  await clock.pass(105_000);
  expect(begun).toHaveLength(6);
});

test("a removed group has no round, even if it was removed after the first group's round had started", async () => {
  const { clock, cluster, begun, job } = await fourGroups(300_000);
  await clock.pass(300_500 - 300);
  const groups = [...cluster.snapshot().groups()];
  const last = groups.filter(({ name }) => name !== "default").at(-1);
  await job({ OP_ID: "OP_GROUP_REMOVE", group_name: last?.name ?? "" });
  await clock.pass(10_000);
  expect(begun).toHaveLength(3);
  expect(begun.map(({ group }) => group)).not.toContain(last?.uuid);
});

test("a cluster that stops does not wait for groups whose rounds have not started", async () => {
  const { clock, cluster, begun } = await fourGroups(300_000);
  await clock.pass(301_500 - 300);
  // The clock does not advance meanwhile.
  await cluster.stop();
  await clock.pass(600_000);
  expect(timesOf(begun)).toEqual([300_000, 301_000]);
});
