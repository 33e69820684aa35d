import * as fc from "fast-check";
import { expect, test } from "vitest";
import { VertexQueue } from "./vertex-queue.js";

test("the most urgent vertex comes first, also after others became more urgent", () => {
  const steps = fc.array(fc.tuple(fc.nat(19), fc.boolean()), { maxLength: 60, size: "max" });
  const seen = { raised: 0, taken: 0 };
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...Array(20).keys()], { minLength: 15 }),
      steps,
      (ranks, all) => {
        const queue = new VertexQueue(ranks);
        const left = new Map(ranks.map((rank, vertex) => [vertex, rank]));
        const takeOne = () => {
          const [best] = [...left].sort((a, b) => b[1] - a[1]);
          expect(queue.take()).toBe(best?.[0]);
          if (best) left.delete(best[0]);
          seen.taken++;
        };
        for (const [vertex, take] of all) {
          const urgency = left.get(vertex);
          if (vertex < ranks.length) expect(queue.has(vertex)).toBe(urgency !== undefined);
          if (take) takeOne();
          else if (urgency !== undefined) {
            queue.raise(vertex, 20);
            left.set(vertex, urgency + 20);
            seen.raised++;
          }
        }
        while (left.size > 0) takeOne();
        expect(queue.take()).toBeUndefined();
      },
    ),
  );
  expect(seen.raised).toBeGreaterThan(100);
  expect(seen.taken).toBeGreaterThan(100);
});
