import { expect, test } from "vitest";
import { compareLocks, groupLockOf, type LockName, levelOf } from "./lock-name.js";

test("locks are ordered by level, the group lock first, then by code point", () => {
  const ordered: LockName[] = [
    "cluster/[lockset]",
    "cluster/BGL",
    "instance/[lockset]",
    "instance/A",
    "instance/a",
    "instance/\uff5e",
    "instance/\u{1f600}",
    "node-alloc/NAL",
    "nodegroup/a",
    "node/[lockset]",
    "node/Z",
    "node-res/a",
    "network/a",
    "cluster/config",
  ];
  expect(ordered.toReversed().sort(compareLocks)).toEqual(ordered);
});

test("the configuration lock and group locks fall under no group lock", () => {
  expect(groupLockOf("cluster/config")).toBeUndefined();
  expect(groupLockOf("node/[lockset]")).toBeUndefined();
  expect(groupLockOf("node/[lockset]x")).toBe("node/[lockset]");
  expect(levelOf("cluster/config")).toBe("config");
});

test("a lock of no level is refused", () => {
  expect(() => levelOf("disk/a")).toThrow("Unknown lock name 'disk/a'");
});
