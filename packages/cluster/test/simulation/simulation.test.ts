import { describe, expect, test } from "vitest";
import { brokenCopies, type Invariant } from "./sabotage.js";
import { simulate } from "./simulate.js";

test("a dozen cluster runs with faults of all kinds break no invariant", async () => {
  const seen: Record<string, number> = {
    success: 0,
    failed: 0,
    died: 0,
    committed: 0,
    copies: 0,
    planned: 0,
  };
  for (let seed = 110; seed < 122; seed++) {
    const { violation, counts } = await simulate(seed);
    const again = `pnpm --filter @ganeti-ts/cluster simulate --from=${seed} --count=1`;
    expect(violation, `again: ${again}`).toBeUndefined();
    for (const name of Object.keys(seen)) seen[name] = (seen[name] ?? 0) + (counts[name] ?? 0);
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
});

test("runs of a cluster of 100 nodes, most of them nearly full, break no invariant", async () => {
  const seen: Record<string, number> = { success: 0, failed: 0 };
  // Odd seeds place instances by cached figures, even ones call all nodes.
  for (let seed = 5; seed <= 6; seed++) {
    const { violation, counts } = await simulate(seed, { nodeCount: 100 });
    const again = `pnpm --filter @ganeti-ts/cluster simulate --from=${seed} --count=1 --nodes=100`;
    expect(violation, `again: ${again}`).toBeUndefined();
    for (const name of Object.keys(seen)) seen[name] = (seen[name] ?? 0) + (counts[name] ?? 0);
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
});

const lateCalls = () => simulate(1, { sabotage: { staged: "late calls" } });

test("calls of a server that stood still while it was declared dead are refused", async () => {
  const { violation, counts } = await lateCalls();
  expect(violation).toBeUndefined();
  expect(counts.late).toBeGreaterThan(0);
});

test("the same seed results in the same run", async () => {
  expect(await lateCalls()).toEqual(await lateCalls());
});

describe("the simulation detects a sabotaged cluster:", () => {
  test.each(Object.entries(brokenCopies))("%s", async (invariant, sabotage) => {
    const found: Invariant[] = [];
    for (let seed = 1; seed <= 5; seed++) {
      const { violation } = await simulate(seed, { sabotage });
      if (violation !== undefined) found.push(violation.invariant);
      if (violation?.invariant === invariant) return;
    }
    expect.fail(`found ${[...new Set(found)].join(", ") || "nothing"}`);
  });
});
