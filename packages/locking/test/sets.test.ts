import { settled, VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import {
  acquireInAttempts,
  doublingTimeouts,
  everyLock,
  ganetiTimeouts,
  LockSet,
  nextAttempt,
} from "../src/index.js";

function aSet(names: readonly string[]) {
  const clock = new VirtualClock();
  return { clock, set: new LockSet<string>("instances", names, { clock }) };
}

test("M1: a request that waits for one of many locks releases the others in between", async () => {
  const names = ["inst1", "inst2", "inst3", "inst4"];
  const { clock, set } = aSet(names);
  await set.acquire("A", ["inst4"]);
  const b = acquireInAttempts(set, "B", names, { random: () => 1, clock });
  await settled();
  expect(set.ownedBy("B")).toEqual(["inst1", "inst2", "inst3"]);
  const c = set.acquire("C", ["inst1"]);
  await clock.pass(999);
  expect(set.ownedBy("C")).toEqual([]);
  await clock.pass(1);
  expect(await c).toEqual(new Set(["inst1"]));
  expect(set.ownedBy("B")).toEqual([]);
  // Sleeps as long as it tried, then tries for 2 s: C has the first of its locks.
  await clock.pass(1000 + 1999);
  expect(set.ownedBy("B")).toEqual([]);
  set.release("C");
  await settled();
  expect(set.ownedBy("B")).toEqual(["inst1", "inst2", "inst3"]);
  await clock.pass(1);
  expect(set.ownedBy("B")).toEqual([]);
  set.release("A");
  await clock.pass(2000);
  expect(await b).toEqual(new Set(names));
});

test("after its tries one waits without limit", async () => {
  const { clock, set } = aSet(["a", "b"]);
  await set.acquire("A", ["b"]);
  const b = acquireInAttempts(set, "B", ["a", "b"], {
    random: () => 0,
    clock,
    timeouts: doublingTimeouts(2),
  });
  await clock.pass(3000);
  expect(set.ownedBy("B")).toEqual(["a"]);
  await clock.pass(1_000_000);
  expect(set.ownedBy("B")).toEqual(["a"]);
  set.release("A");
  expect(await b).toEqual(new Set(["a", "b"]));
});

test("locks are taken in the order of names, repeats once, within one budget of time", async () => {
  const { clock, set } = aSet(["a", "b", "c"]);
  await set.acquire("other", ["b"]);
  const wanted = set.acquire("me", ["c", "b", "a", "a"], { timeoutMs: 1000 });
  await settled();
  expect(set.ownedBy("me")).toEqual(["a"]);
  await clock.pass(1000);
  expect(await wanted).toBeNull();
  expect(set.ownedBy("me")).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("a name that is not there or goes away is refused, and what was taken is given back", async () => {
  const { set } = aSet(["a", "b"]);
  await expect(set.acquire("me", ["a", "x"])).rejects.toThrow(
    "Non-existing lock(s) x in set instances",
  );
  await set.acquire("other", ["b"]);
  const wanted = set.acquire("me", ["a", "b"]);
  await settled();
  expect(await set.remove("other", ["b"])).toEqual(["b"]);
  await expect(wanted).rejects.toThrow("Non-existing lock(s) b in set instances");
  expect(set.ownedBy("me")).toEqual([]);
});

test("every lock: none is added meanwhile, and one that goes away is passed over", async () => {
  const { set } = aSet(["a", "b"]);
  await set.acquire("other", ["b"]);
  const all = set.acquire("me", everyLock, { mode: "shared" });
  const added = set.add("adder", ["c"]);
  await settled();
  expect(set.names()).toEqual(["a", "b"]);
  await set.remove("other", ["b"]);
  expect(await all).toEqual(new Set(["a"]));
  await settled();
  expect(set.names()).toEqual(["a"]);
  set.release("me");
  expect(await added).toBe(true);
  expect(set.names()).toEqual(["a", "c"]);
});

test("an owner that holds every lock may add further ones, and hold them at once", async () => {
  const { set } = aSet(["a"]);
  await set.acquire("me", everyLock);
  expect(await set.add("me", ["b"], { held: "exclusive" })).toBe(true);
  expect(set.ownedBy("me")).toEqual(["a", "b"]);
  await expect(set.add("me", ["b", "c"])).rejects.toThrow("duplicate add(b) on lockset instances");
  expect(set.names()).toEqual(["a", "b"]);
  expect(await set.add("other", ["d"], { timeoutMs: 0 })).toBe(false);
});

test("an owner cannot acquire twice in a set, but can release and downgrade parts", async () => {
  const { set } = aSet(["a", "b", "c"]);
  await set.acquire("me", ["a", "b"]);
  await expect(set.acquire("me", ["c"])).rejects.toThrow("twice (lockset instances)");
  set.downgrade("me", ["a"]);
  expect(await set.acquire("other", ["a"], { mode: "shared", timeoutMs: 0 })).toEqual(
    new Set(["a"]),
  );
  set.release("me", ["b"]);
  expect(set.ownedBy("me")).toEqual(["a"]);
  expect(() => set.release("me", ["b"])).toThrow("release() on unheld lock(s) b of set instances");
  await expect(set.remove("me", ["a", "c"])).rejects.toThrow("while not owning all elements");
});

test("removing gives the names really removed: not those that are gone, nor in use too long", async () => {
  const { clock, set } = aSet(["a", "b", "c"]);
  await set.acquire("other", ["b"]);
  const removed = set.remove("me", ["a", "b", "x"], { timeoutMs: 1000 });
  await clock.pass(1000);
  expect(await removed).toEqual(["a"]);
  expect(set.names()).toEqual(["b", "c"]);
});

test("an abort gives everything back", async () => {
  const { set } = aSet(["a", "b"]);
  const cancel = new AbortController();
  await set.acquire("other", ["b"]);
  const wanted = set.acquire("me", ["a", "b"], { signal: cancel.signal });
  await settled();
  cancel.abort(new Error("canceled"));
  await expect(wanted).rejects.toThrow("canceled");
  expect(set.ownedBy("me")).toEqual([]);
});

test("M12: 28 attempts in half an hour, then a better priority, and in the end without limit", () => {
  const timeouts = ganetiTimeouts(() => 0.5);
  const list = Array.from({ length: 29 }, (_, attempt) => timeouts(attempt));
  expect(list.slice(0, 5).map((ms) => Math.round(ms as number))).toEqual([
    5000, 7947, 14182, 29252, 72307,
  ]);
  expect(new Set(list.slice(5, 28))).toEqual(new Set([75_000]));
  expect(list[28]).toBeUndefined();
  const sum = list.reduce<number>((total, ms) => total + (ms ?? 0), 0);
  expect(Math.round(sum / 100) / 10).toBe(1853.7);

  let state = { priority: 0, attempt: 0 };
  const made = new Map<number, number>();
  for (;;) {
    const { priority, timeoutMs, failed } = nextAttempt(state, timeouts);
    if (timeoutMs === undefined) {
      expect(priority).toBe(-20);
      break;
    }
    if (failed.attempt === 1) expect(timeoutMs).toBe(5000);
    made.set(priority, (made.get(priority) ?? 0) + 1);
    state = failed;
  }
  expect([...made]).toEqual(Array.from({ length: 21 }, (_, step) => [0 - step, 28]));
});

test("timeouts vary by five in a hundred either way", () => {
  expect(ganetiTimeouts(() => 0)(0)).toBeCloseTo(4750);
  expect(ganetiTimeouts(() => 1)(0)).toBeCloseTo(5250);
});
