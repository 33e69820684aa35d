/** Random steps on a lock table: few owners and few locks, so that they meet. */
import fc from "fast-check";
import type { LockMode, LockName, LockOwner, LockRequest, LockTable } from "../src/index.js";

const owners: readonly LockOwner[] = [1, 2, 3, 4, 5].map((id) => ({
  id,
  lease: `worker ${id % 2}`,
}));

const locks: readonly LockName[] = [
  ...(["cluster/BGL", "instance/[lockset]", "instance/x", "instance/y"] as const),
  ...(["node/[lockset]", "node/a", "node/b", "node/c"] as const),
];

const owner = fc.constantFrom(...owners);
const lock = fc.constantFrom(...locks);
const mode = fc.constantFrom<LockMode>("shared", "exclusive");
const wish = fc.record({ lock, mode });
const change = fc.record({
  lock,
  mode: fc.constantFrom<LockRequest["mode"]>("shared", "exclusive", "exclusive", "release"),
});

export type Step =
  | {
      readonly kind: "ask" | "try";
      readonly owner: LockOwner;
      readonly requests: readonly LockRequest[];
      readonly priority: number;
      readonly definite: boolean;
    }
  | {
      readonly kind: "release" | "downgrade";
      readonly owner: LockOwner;
      readonly locks: readonly LockName[];
    }
  | { readonly kind: "releaseAll" | "withdraw"; readonly owner: LockOwner }
  | { readonly kind: "releaseLease"; readonly lease: string };

const asking = fc.record({
  kind: fc.constantFrom("ask" as const, "ask" as const, "ask" as const, "try" as const),
  owner,
  requests: fc.oneof(
    fc.array(wish, { minLength: 1, maxLength: 1 }),
    fc.array(change, { minLength: 1, maxLength: 3 }),
  ),
  priority: fc.constantFrom(0, 0, 0, -10),
  definite: fc.boolean(),
});

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: asking },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("release" as const, "downgrade" as const),
        owner,
        locks: fc.array(lock, { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("releaseAll" as const, "withdraw" as const),
        owner,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("releaseLease" as const),
        lease: fc.constantFrom("worker 0", "worker 1"),
      }),
    },
  ),
  { minLength: 5, maxLength: 25 },
);

/** Takes the step; what the table answers. @throws LockError */
export function take(table: LockTable, step: Step): unknown {
  switch (step.kind) {
    case "ask":
      return table.request(step.owner, step.requests, step);
    case "try":
      return table.tryRequest(step.owner, step.requests, step);
    case "release":
      return table.release(step.owner, step.locks);
    case "downgrade":
      return table.downgrade(step.owner, step.locks);
    case "releaseAll":
      return table.releaseAll(step.owner);
    case "withdraw":
      return table.withdraw(step.owner);
    case "releaseLease":
      return table.releaseLease(step.lease);
  }
}
