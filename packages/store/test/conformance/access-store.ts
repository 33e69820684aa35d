// Conformance suite for stores of access records.
import type { AccessBounds, AccessRecord, AccessStore } from "@ganeti-ts/job-queue";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

interface World {
  /** Opens the store, again and again on the same data. */
  open(bounds?: AccessBounds): Promise<AccessStore>;
  close(): Promise<void>;
}

const aRecord = (parts: Partial<AccessRecord> = {}): AccessRecord => ({
  at: 1_800_000_000_000_001,
  user: "jack",
  address: "192.0.2.7",
  action: "cancel",
  object: "job 17",
  done: true,
  text: "Dequeued job 17",
  ...parts,
});

/** The conformance suite of `AccessStore`. */
export function describeAccessStore(name: string, makeWorld: () => Promise<World>): void {
  describe(name, () => {
    let world: World;
    let store: AccessStore;
    const reopen = async (bounds?: AccessBounds) => {
      await store.close();
      store = await world.open(bounds);
    };
    beforeEach(async () => {
      world = await makeWorld();
      store = await world.open();
    });
    afterEach(async () => {
      await store.close();
      await world.close();
    });

    test("records come back complete and newest first, in parts, also from a store that was opened again", async () => {
      const local = aRecord({ user: null, address: null, done: false, text: "" });
      const odd = aRecord({ user: "ä\u{1F600}'\"; --", text: "a\nb" });
      for (const one of [aRecord(), local, odd]) await store.add(one);
      await reopen();
      const all = await store.latest(10);
      expect(all.map(({ id: _, ...record }) => record)).toEqual([odd, local, aRecord()]);
      const [newest] = await store.latest(1);
      expect(newest).toEqual(all[0]);
      expect(await store.latest(10, newest?.id)).toEqual(all.slice(1));
    });

    test("of each kind of action only the latest records stay, and ids never come again", async () => {
      await reopen({ kept: 3 });
      await store.add(aRecord({ text: "first" }));
      for (let at = 0; at < 5; at++) {
        await store.add(aRecord({ action: "failed login", text: String(at) }));
      }
      const before = await store.latest(10);
      expect(before.map(({ text }) => text)).toEqual(["4", "3", "2", "first"]);
      await reopen();
      await store.add(aRecord({ action: "login" }));
      expect((await store.latest(1))[0]?.id).toBeGreaterThan(before[0]?.id ?? 0);
    });

    test("long texts are cut, and a character that a database cannot hold refuses no record", async () => {
      await store.add(aRecord({ user: "u".repeat(5000), text: "t".repeat(5000), object: "a\0b" }));
      const [record] = await store.latest(1);
      expect([record?.user?.length, record?.text.length]).toEqual([200, 1000]);
      expect(record?.object).toMatch(/^a.b$/su);
    });

    test("an ended session stays ended until its time has passed, also in a store opened again", async () => {
      await store.endSession("one", { now: 1000, until: 2000 });
      await store.endSession("one", { now: 1000, until: 2001 });
      await store.endSession("other", { now: 2000, until: 4000 });
      await reopen();
      expect([await store.isEnded("one"), await store.isEnded("unknown")]).toEqual([true, false]);
      await store.endSession("third", { now: 2001, until: 4000 });
      expect([await store.isEnded("one"), await store.isEnded("other")]).toEqual([false, true]);
    });

    test("where too many sessions have ended, those are forgotten that need it for the shortest time", async () => {
      await reopen({ sessionsMax: 2 });
      for (const [session, until] of [
        ["a", 9000],
        ["b", 7000],
        ["c", 8000],
      ] as const) {
        await store.endSession(session, { now: 1, until });
      }
      const kept = await Promise.all(["a", "b", "c"].map((one) => store.isEnded(one)));
      expect(kept).toEqual([true, false, true]);
    });
  });
}
