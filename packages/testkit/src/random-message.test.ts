import { decodeMessage } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { randomMessage, requestTypes, wireMessage } from "./index.js";
import { Dice } from "./simulation.js";

const seeds = Array.from({ length: 150 }, (_, seed) => seed);

test("the same seed gives the same message, another one another", () => {
  expect(randomMessage(7, "relocate")).toEqual(randomMessage(7, "relocate"));
  expect(randomMessage(7, "relocate")).not.toEqual(randomMessage(8, "relocate"));
});

test.each(requestTypes)("what is written for %s is read back as it was", (type) => {
  for (const seed of seeds) {
    const { message } = randomMessage(seed, type);
    expect(decodeMessage(JSON.stringify(wireMessage(message))), `seed ${seed}`).toEqual(message);
  }
});

test("every trait and every kind of node and instance occurs", () => {
  const all = seeds.map((seed) => randomMessage(seed, "allocate"));
  const seen = new Set<string>();
  for (const { message, traits, switches } of all) {
    for (const [name, value] of Object.entries({ ...traits, ...switches })) {
      seen.add(`${name} ${value}`);
    }
    for (const node of message.cluster.nodes) {
      seen.add(node.offline ? (node.memoryTotalMib > 0 ? "drained" : "dead") : "up");
      if (node.exclusiveStorage) seen.add("exclusive");
    }
    for (const instance of message.cluster.instances) {
      seen.add(instance.diskTemplate).add(instance.status);
      if (instance.disks.length === 2) seen.add("two disks");
      if (instance.forthcoming) seen.add("reserved");
    }
  }
  for (const flag of ["away", "forthcoming", "zeroSizes", "leaks", "networks", "migrationTags"]) {
    expect(seen).toContain(`${flag} true`);
    expect(seen).toContain(`${flag} false`);
  }
  for (const kind of ["drained", "dead", "up", "exclusive", "two disks", "reserved"]) {
    expect(seen).toContain(kind);
  }
  for (const kind of [
    "drbd",
    "plain",
    "ext",
    "diskless",
    "blockdev",
    "ADMIN_down",
    "hardware equal",
  ]) {
    expect(seen).toContain(kind);
  }
});

test("dice keep to their bounds and reach them", () => {
  const dice = new Dice(1);
  const thrown = new Set(Array.from({ length: 200 }, () => dice.between(-1, 2)));
  expect([...thrown].sort((a, b) => a - b)).toEqual([-1, 0, 1, 2]);
  expect(dice.shuffled([1, 2, 3]).sort()).toEqual([1, 2, 3]);
});
