import { groupLockName } from "@ganeti-ts/locking";
import { expect, test } from "vitest";
import {
  asExclusive,
  asShared,
  groupLock,
  holdsEnough,
  mergedRequests,
  networkLock,
  nodeLock,
  withNodes,
} from "./locks.js";

const [a, b] = [nodeLock("a"), nodeLock("b")];
const allNodes = groupLockName("node");

test("merged lock requests contain each lock once, exclusive wins, and the big lock comes first", () => {
  expect(mergedRequests([...asShared(b, a), ...asExclusive(b), ...asShared(b)])).toEqual([
    { lock: "cluster/BGL", mode: "shared" },
    { lock: a, mode: "shared" },
    { lock: b, mode: "exclusive" },
  ]);
});

test("a lock of a level covers its members, unless they are needed exclusively", () => {
  expect(mergedRequests([...asShared(allNodes, a), ...asExclusive("cluster/BGL")])).toEqual([
    { lock: "cluster/BGL", mode: "exclusive" },
    { lock: allNodes, mode: "shared" },
  ]);
  expect(mergedRequests([...asShared(allNodes), ...asExclusive(a)])).toHaveLength(3);
});

test.each([
  { why: "the same is enough", held: asShared(a), needed: asShared(a), enough: true },
  { why: "exclusive covers shared", held: asExclusive(a), needed: asShared(a), enough: true },
  {
    why: "shared does not cover exclusive",
    held: asShared(a),
    needed: asExclusive(a),
    enough: false,
  },
  { why: "another lock does not do", held: asExclusive(a), needed: asShared(b), enough: false },
  {
    why: "a whole level covers its members",
    held: asShared(allNodes),
    needed: asShared(a),
    enough: true,
  },
  { why: "in its own mode only", held: asShared(allNodes), needed: asExclusive(a), enough: false },
  {
    why: "more than needed is enough",
    held: withNodes(["a"], "shared"),
    needed: asShared(a),
    enough: true,
  },
])("$why", ({ held, needed, enough }) => {
  expect(holdsEnough(held, needed)).toBe(enough);
});

test("locks are taken level by level, in whatever order they are requested", () => {
  const requests = asShared(networkLock("n"), nodeLock("a"), groupLock("g"));
  expect(mergedRequests(requests).map(({ lock }) => lock)).toEqual([
    ...["cluster/BGL", "nodegroup/g", "node/a", "network/n"],
  ]);
});
