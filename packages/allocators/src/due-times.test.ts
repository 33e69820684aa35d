// Seen to fail with a node returned at a time that was replaced later, and with nodes of the last bucket lost.
import type { NodeUuid } from "@ganeti-ts/protocol";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { DueTimes } from "./due-times.js";

test("the nodes that are due are those whose last time has come", () => {
  const seen = { due: 0, changed: 0, deleted: 0, idle: 0 };
  for (let seed = 1; seed <= 50; seed++) {
    const dice = new Dice(seed);
    const times = new DueTimes(dice.pick([0, 10, 25.5]));
    const expected = new Map<NodeUuid, number>();
    let now = dice.between(0, 1000);
    for (let step = 0; step < 100; step++) {
      const node = `node${dice.between(0, 9)}` as NodeUuid;
      if (dice.chance(0.1)) {
        if (expected.delete(node)) seen.deleted++;
        times.delete(node);
      } else {
        if (expected.has(node)) seen.changed++;
        const dueAt = now + dice.between(0, 100);
        times.set(node, dueAt);
        expected.set(node, dueAt);
      }
      if (dice.chance(0.5)) continue;
      now += dice.chance(0.05) ? dice.between(500, 2000) : dice.between(0, 20);
      const due = [...expected].flatMap(([one, dueAt]) => (dueAt <= now ? [one] : []));
      for (const one of due) expected.delete(one);
      expect(times.take(now).sort()).toEqual(due.sort());
      if (due.length > 0) seen.due++;
      else seen.idle++;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});
