import { expect, test } from "vitest";
import { createLockManager } from "./lock-manager.js";
import { type LockName, lockName } from "./lock-name.js";
import { lockOrder } from "./lock-order.js";

const order = lockOrder(["site", "machine"]);

test("locks are ordered by the levels of the caller, the group lock first, then by code point", () => {
  const ordered: LockName[] = [
    "site/[lockset]",
    "site/a",
    "site/b",
    "machine/[lockset]",
    "machine/a",
  ];
  expect(ordered.toReversed().sort(order.compare)).toEqual(ordered);
  expect(order.levelOf("machine/a")).toBe("machine");
});

test("a manager with levels of the caller refuses a request below what is held, and Ganeti's levels", async () => {
  const locks = createLockManager({ order });
  const owner = { id: 1 };
  const acquire = (lock: LockName) => locks.acquire(owner, [{ lock, mode: "exclusive" }]);
  expect(await acquire("machine/a")).toBe(true);
  await expect(acquire("site/a")).rejects.toThrow("requesting site/a while holding machine/a");
  await expect(acquire(lockName("node", "n1"))).rejects.toThrow("Unknown lock name 'node/n1'");
  await locks.releaseLevel(owner, "machine");
  expect(await acquire("site/a")).toBe(true);
});

test("without levels of the caller a manager knows Ganeti's only", async () => {
  const request = createLockManager().acquire({ id: 1 }, [{ lock: "site/a", mode: "shared" }]);
  await expect(request).rejects.toThrow("Unknown lock name 'site/a'");
});

test.each([
  { why: "no level", levels: [], said: "at least one level" },
  { why: "a level named twice", levels: ["a", "b", "a"], said: "named twice" },
  { why: "a level without a name", levels: [""], said: "Invalid lock level ''" },
  { why: "a slash, which ends the name of a level", levels: ["a/b"], said: "Invalid lock level" },
])("an order with $why is refused", ({ levels, said }) => {
  expect(() => lockOrder(levels)).toThrow(said);
});
