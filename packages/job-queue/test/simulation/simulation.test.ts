import { isThorough } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import type { Invariant } from "./auditor.js";
import { brokenCopies } from "./broken-copies.js";
import { simulate } from "./simulate.js";

const runCount = isThorough ? 200 : 30;

test("dozens of runs with faults of all kinds break no invariant", async () => {
  const seen = { jobs: 0, died: 0, requeued: 0, spared: 0, held: 0, full: 0, canceled: 0, late: 0 };
  for (let seed = 1; seed <= runCount; seed++) {
    const { violation, jobCount, counts } = await simulate(seed);
    const again = `pnpm --filter @ganeti-ts/job-queue simulate --from=${seed} --count=1`;
    expect(violation?.message, `again: ${again}`).toBeUndefined();
    seen.jobs += jobCount;
    seen.died += counts.died;
    seen.requeued += counts.requeued;
    seen.spared += counts.spared;
    seen.held += counts.held;
    seen.full += counts.full;
    seen.canceled += counts.canceled;
    seen.late += counts.late;
  }
  for (const [what, count] of Object.entries(seen))
    expect(count, what).toBeGreaterThanOrEqual(runCount / 15);
});

test("the same seed gives the same run", async () => {
  expect(await simulate(7)).toEqual(await simulate(7));
});

describe("a broken copy is found out:", () => {
  test.each(Object.entries(brokenCopies))("%s", async (invariant, sabotage) => {
    const found: Invariant[] = [];
    for (let seed = 1; seed <= 10; seed++) {
      const { violation } = await simulate(seed, sabotage());
      if (violation !== undefined) found.push(violation.invariant);
      if (violation?.invariant === invariant) return;
    }
    expect.fail(`found ${[...new Set(found)].join(", ") || "nothing"}`);
  });
});
