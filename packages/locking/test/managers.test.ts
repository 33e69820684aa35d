import { settled, VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import {
  createLockManager,
  type LockOwner,
  type LockRequest,
  type LockStore,
  lockTable,
  memoryLockStore,
} from "../src/index.js";

const x = (...locks: LockRequest["lock"][]): LockRequest[] =>
  locks.map((lock) => ({ lock, mode: "exclusive" }));
const job = (id: number): LockOwner => ({ id, lease: `worker of ${id}` });

/** State of a promise. */
function watched<Value>(promise: Promise<Value>) {
  const seen: { value?: Value; error?: unknown } = {};
  promise.then(
    (value) => {
      seen.value = value;
    },
    (error) => {
      seen.error = error;
    },
  );
  return seen;
}

/**
 * A store that behaves like a database: changes take time, others see stored states, and notifications arrive
 * late (or never).
 */
function slowStore(clock: VirtualClock, { delayMs = 10, tells = true, pollMs = 1000 } = {}) {
  let rows = lockTable().rows();
  let turn: Promise<unknown> = Promise.resolve();
  const listeners = new Set<(owner: LockOwner) => void>();
  const store: LockStore = {
    pollMs,
    change(change) {
      const answer = turn.then(async () => {
        await new Promise<void>((resolve) => clock.after(delayMs, resolve));
        const table = lockTable(rows);
        const answer = change(table);
        rows = table.rows();
        const granted = table.takeGranted();
        if (tells) {
          clock.after(delayMs, () => {
            for (const owner of granted) for (const listener of listeners) listener(owner);
          });
        }
        return answer;
      });
      turn = answer.catch(() => undefined);
      return answer;
    },
    onGranted(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { store, rows: () => rows };
}

test("a request waits until its time is over, and then waits no more", async () => {
  const clock = new VirtualClock();
  const manager = createLockManager({ clock });
  expect(await manager.acquire(job(1), x("node/a"))).toBe(true);
  const second = watched(manager.acquire(job(2), x("node/a"), { timeoutMs: 5000 }));
  await clock.pass(4999);
  expect(second).toEqual({});
  await clock.pass(1);
  expect(second).toEqual({ value: false });
  await manager.releaseAll(job(1));
  expect(await manager.monitor()).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("no time at all is a try, without a trace", async () => {
  const manager = createLockManager({ clock: new VirtualClock() });
  await manager.acquire(job(1), x("node/a"));
  expect(await manager.acquire(job(2), x("node/a"), { timeoutMs: 0 })).toBe(false);
  expect((await manager.monitor())[0]?.pending).toEqual([]);
});

test("a job that is canceled while it waits holds nothing, and the next one is served", async () => {
  const manager = createLockManager({ clock: new VirtualClock() });
  const cancel = new AbortController();
  await manager.acquire(job(1), x("node/b"));
  const canceled = manager.acquire(job(2), x("node/a", "node/b"), { signal: cancel.signal });
  const next = watched(manager.acquire(job(3), x("node/a")));
  await settled();
  expect(next).toEqual({});
  cancel.abort(new Error("Job canceled by request"));
  await expect(canceled).rejects.toThrow("Job canceled by request");
  await settled();
  expect(next).toEqual({ value: true });
  expect(await manager.holdsOf(job(2))).toEqual(new Map());
});

test("a refused request gets the reason, and waiting requests go on waiting", async () => {
  const manager = createLockManager({ clock: new VirtualClock() });
  await manager.acquire(job(1), x("node/b"));
  await expect(manager.acquire(job(1), x("node/a"))).rejects.toThrow("Order violation");
  const waiting = watched(manager.acquire(job(2), x("node/b"), { timeoutMs: 1000 }));
  await expect(manager.acquire(job(2), x("node/c"))).rejects.toThrow("pending requests");
  const repeated = watched(manager.acquire(job(2), x("node/b"), { timeoutMs: 1000 }));
  await manager.releaseAll(job(1));
  await settled();
  expect([waiting, repeated]).toEqual([{ value: true }, { value: true }]);
});

test("freeing everything also ends what the owner waits for", async () => {
  const manager = createLockManager({ clock: new VirtualClock() });
  await manager.acquire(job(1), x("node/a"));
  const waiting = watched(manager.acquire(job(2), x("node/a")));
  await manager.releaseAll(job(2));
  await settled();
  expect(waiting).toEqual({ value: false });
});

test("releasing a lock obtained by a waiting call ends that call; other locks do not matter", async () => {
  const manager = createLockManager({ clock: new VirtualClock() });
  await manager.acquire(job(1), x("node/b"));
  await manager.acquire(job(2), x("instance/i"));
  const waiting = watched(manager.acquire(job(2), x("node/a", "node/b")));
  await manager.release(job(2), ["instance/i"]);
  await settled();
  expect(waiting).toEqual({});
  await manager.release(job(2), ["node/a"]);
  await settled();
  expect(waiting).toEqual({ value: false });
  await manager.releaseAll(job(1));
  expect(await manager.monitor()).toEqual([]);
});

test("a dead worker's locks go to those who wait for them", async () => {
  const manager = createLockManager({ clock: new VirtualClock() });
  await manager.acquire(job(7), x("node/a"));
  const next = watched(manager.acquire(job(8), x("node/a")));
  expect(await manager.releaseLease("worker of 7")).toEqual([job(7)]);
  await settled();
  expect(next).toEqual({ value: true });
  expect(await manager.holdsOf(job(7))).toEqual(new Map());
});

test("downgrading and freeing in part lets others in", async () => {
  const manager = createLockManager({ clock: new VirtualClock() });
  await manager.acquire(job(1), [...x("instance/i", "node/a", "node/b")]);
  const shared = watched(manager.acquire(job(2), [{ lock: "node/a", mode: "shared" }]));
  const other = watched(manager.acquire(job(3), x("node/b")));
  const third = watched(manager.acquire(job(4), x("instance/i")));
  await manager.downgrade(job(1), ["node/a"]);
  await manager.release(job(1), ["node/b"]);
  await settled();
  expect([shared, other, third]).toEqual([{ value: true }, { value: true }, {}]);
  await manager.releaseLevel(job(1), "node");
  expect(await manager.holdsOf(job(1))).toEqual(new Map([["instance/i", "exclusive"]]));
  await manager.close();
  await settled();
  expect(third.error).toMatchObject({ message: "the lock manager has been closed" });
  expect((await manager.monitor()).flatMap(({ pending }) => pending)).toEqual([]);
});

test.each([
  { tells: true, why: "told of", afterMs: 40 },
  { tells: false, why: "found by looking", afterMs: 1040 },
])("on a store that takes time a grant is $why", async ({ tells, afterMs }) => {
  const clock = new VirtualClock();
  const { store } = slowStore(clock, { tells });
  const [here, there] = [createLockManager({ store, clock }), createLockManager({ store, clock })];
  const first = watched(here.acquire(job(1), x("node/a")));
  await clock.pass(20);
  expect(first).toEqual({ value: true });
  const second = watched(there.acquire(job(2), x("node/a")));
  await clock.pass(20);
  void here.releaseAll(job(1));
  await clock.pass(afterMs);
  expect(second).toEqual({ value: true });
  await Promise.all([clock.pass(100), here.close(), there.close()]);
  expect(clock.pending).toBe(0);
});

test("on a store that takes time, giving up before it has answered leaves nothing behind", async () => {
  const clock = new VirtualClock();
  const { store, rows } = slowStore(clock);
  const manager = createLockManager({ store, clock });
  const cancel = new AbortController();
  void manager.acquire(job(1), x("node/a"));
  const timed = watched(manager.acquire(job(2), x("node/a"), { timeoutMs: 5 }));
  const aborted = watched(manager.acquire(job(3), x("node/a"), { signal: cancel.signal }));
  cancel.abort("stop");
  const freed = watched(manager.acquire(job(4), x("node/a")));
  void manager.releaseAll(job(4));
  await clock.pass(200);
  expect([timed, aborted, freed]).toEqual([{ value: false }, { error: "stop" }, { value: false }]);
  expect(rows()).toMatchObject({ holds: [{ owner: job(1) }], waits: [] });
});

test("a grant just before the time is over counts", async () => {
  const clock = new VirtualClock();
  const { store } = slowStore(clock, { tells: false, pollMs: 60_000 });
  const manager = createLockManager({ store, clock });
  void manager.acquire(job(1), x("node/a"));
  const second = watched(manager.acquire(job(2), x("node/a"), { timeoutMs: 100 }));
  await clock.pass(50);
  void manager.releaseAll(job(1));
  await clock.pass(100);
  expect(second).toEqual({ value: true });
});

test("two managers on one store in memory see each other", async () => {
  const store = memoryLockStore();
  const clock = new VirtualClock();
  const [here, there] = [createLockManager({ store, clock }), createLockManager({ store, clock })];
  await here.acquire(job(1), x("node/a"));
  const second = watched(there.acquire(job(2), x("node/a")));
  await here.releaseAll(job(1));
  await settled();
  expect(second).toEqual({ value: true });
});
