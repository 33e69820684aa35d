import { settled, VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { type LockMode, SharedLock } from "../src/index.js";
import vectors from "./vectors/locks.json" with { type: "json" };

const limitMs = 1000;

test.each(vectors)("$name", async ({ steps, order, holds, queue, ...vector }) => {
  const clock = new VirtualClock();
  const lock = new SharedLock<string>("test", { clock });
  const grants: string[] = [];
  const errors: Record<string, string> = {};
  const timedOut = new Set(steps.filter(([what]) => what === "timeout").map(([, owner]) => owner));
  const note = (who: string) => (error: Error) => {
    errors[who] = error.message;
  };
  for (const [what, name, priority] of steps as [string, string, number][]) {
    const acquire = (mode: LockMode, timeoutMs?: number) =>
      lock.acquire(name, { mode, priority, timeoutMs }).then((granted) => {
        if (granted) grants.push(name);
      }, note(name));
    if (what === "exclusive" || what === "shared") {
      void acquire(what, timedOut.has(name) ? limitMs : undefined);
    } else if (what === "try") void acquire("shared", 0);
    else if (what === "timeout") await clock.pass(limitMs);
    else if (what === "delete") void lock.delete(name).catch(note(`delete ${name}`));
    else {
      try {
        if (what === "release") lock.release(name);
        else lock.downgrade(name);
      } catch (error) {
        note(`${what} ${name}`)(error as Error);
      }
    }
    await settled();
  }
  expect({
    order: grants.slice(1),
    holds: lock.holders().toSorted(),
    queue: lock.pending().map(({ mode, members }) => [mode, ...members]),
    errors,
  }).toEqual({ order, holds: holds.toSorted(), queue, errors: vector.errors ?? {} });
  expect(clock.pending).toBe(0);
});

test("an abort takes the request back and lets those behind it in", async () => {
  const lock = new SharedLock<string>("test", { clock: new VirtualClock() });
  const cancel = new AbortController();
  await lock.acquire("a", { mode: "shared" });
  const b = lock.acquire("b", { signal: cancel.signal });
  const c = lock.acquire("c", { mode: "shared" });
  cancel.abort(new Error("canceled"));
  await expect(b).rejects.toThrow("canceled");
  expect(await c).toBe(true);
  expect(lock.holders()).toEqual(["a", "c"]);
  await expect(lock.acquire("d", { signal: cancel.signal })).rejects.toThrow("canceled");
  cancel.abort();
  lock.release("a");
  expect(lock.holders()).toEqual(["c"]);
});

test("an abort after the grant does nothing", async () => {
  const lock = new SharedLock<string>("test", { clock: new VirtualClock() });
  const cancel = new AbortController();
  await lock.acquire("a");
  const b = lock.acquire("b", { signal: cancel.signal });
  lock.release("a");
  cancel.abort();
  expect(await b).toBe(true);
  expect(lock.holders()).toEqual(["b"]);
});

test("the state of a lock is final before any promise resolves", async () => {
  const lock = new SharedLock<string>("test", { clock: new VirtualClock() });
  await lock.acquire("a");
  const seen: unknown[] = [];
  for (const name of ["b", "c"]) {
    void lock.acquire(name, { mode: "shared" }).then(() => seen.push([name, lock.holders()]));
  }
  lock.release("a");
  expect(lock.holders()).toEqual(["b", "c"]);
  await settled();
  expect(seen).toEqual([
    ["b", ["b", "c"]],
    ["c", ["b", "c"]],
  ]);
});

test("work under the lock is over when the lock is free, also when it fails", async () => {
  const lock = new SharedLock<string>("test", { clock: new VirtualClock() });
  expect(await lock.withLock("a", () => lock.holders())).toEqual({ result: ["a"] });
  await expect(
    lock.withLock("a", () => {
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  expect(lock.holders()).toEqual([]);
});

test("deleting waits for its turn, and gives up in time", async () => {
  const clock = new VirtualClock();
  const lock = new SharedLock<string>("test", { clock });
  await lock.acquire("a");
  const deleted = lock.delete("b", { timeoutMs: limitMs });
  await clock.pass(limitMs);
  expect(await deleted).toBe(false);
  const again = lock.delete("b");
  lock.release("a");
  expect(await again).toBe(true);
  await expect(lock.delete("c")).rejects.toThrow("Deleted lock test");
});
