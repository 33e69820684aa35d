// Conformance suite for configuration stores.
import type { ConfigRow, ConfigStore, StoredConfiguration } from "@ganeti-ts/config";
import {
  Configuration,
  createConfiguration,
  initialConfiguration,
  Snapshot,
  storedSerial,
} from "@ganeti-ts/config";
import { secureRandom, type TimeOfDay } from "@ganeti-ts/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

export interface ConfigWorld {
  /** A process that opens the store; several at a time if it is shared. */
  connect(): Promise<ConfigStore>;
  close(): Promise<void>;
}

interface Implementation {
  readonly shared: boolean;
  /** Whether it outlives the processes that open it. */
  readonly durable: boolean;
  makeWorld(): Promise<ConfigWorld>;
}

const row = (uuid: string, serial: number, document: string | null): ConfigRow => ({
  type: "node",
  uuid,
  serial,
  document,
});

const sorted = (rows: readonly ConfigRow[]) => rows.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1));

const clock: TimeOfDay = { wallMicros: () => Date.now() * 1000 };
const ports = { clock, random: secureRandom };

const aCluster = () =>
  initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: [1, 2].map((n) => ({ name: `node${n}`, primary_ip: `192.0.2.${n}` })),
    random: secureRandom,
    now: 1,
  });

const loadedFrom = async (store: ConfigStore): Promise<StoredConfiguration> => {
  const { serial, rows } = await store.load();
  return { serial, rows: [...rows] };
};

/** Adds a tag to the first node. */
const tag = (one: Configuration, text: string) =>
  one.change((now) => {
    const node = now.expectNode("node1");
    const object = { ...node, tags: [...node.tags, text] };
    return { changes: [{ kind: "put", type: "node", object }], value: text };
  });

export function describeConfigStore(name: string, { shared, durable, makeWorld }: Implementation) {
  describe(name, () => {
    let world: ConfigWorld;
    beforeEach(async () => {
      world = await makeWorld();
    });
    afterEach(() => world.close());

    test("a new store holds nothing", async () => {
      const store = await world.connect();
      expect(await loadedFrom(store)).toEqual({ serial: 0, rows: [] });
      expect(store.shared).toBe(shared);
      await store.close();
    });

    test("the last form of every object is there, and what was removed is not", async () => {
      const store = await world.connect();
      const first = [
        row("a", 1, '{"n":1}'),
        row("b", 1, '{"n":1}'),
        row("c", 1, '{"ü":"\\u0001"}'),
      ];
      expect(await store.commit({ expectedSerial: 0, serial: 1, rows: first })).toBe("done");
      const second = [row("a", 2, '{"n":2}'), row("b", 2, null), row("never", 2, null)];
      expect(await store.commit({ expectedSerial: 1, serial: 2, rows: second })).toBe("done");
      const { serial, rows } = await loadedFrom(store);
      expect(serial).toBe(2);
      expect(sorted(rows)).toEqual([row("a", 2, '{"n":2}'), row("c", 1, '{"ü":"\\u0001"}')]);
      await store.close();
    });

    test("the serial of the last commit is found without reading any object", async () => {
      const store = await world.connect();
      const ahead = () => store.changesSince(Number.MAX_SAFE_INTEGER);
      expect(await ahead()).toEqual({ serial: 0, rows: [] });
      await store.commit({ expectedSerial: 0, serial: 1, rows: [row("a", 1, "{}")] });
      expect(await ahead()).toEqual({ serial: 1, rows: [] });
      expect(await storedSerial(store)).toBe(1);
      await store.close();
    });

    test("a commit that is based on another one writes nothing", async () => {
      const store = await world.connect();
      await store.commit({ expectedSerial: 0, serial: 1, rows: [row("a", 1, "{}")] });
      const late = { expectedSerial: 0, serial: 1, rows: [row("b", 1, "{}")] };
      expect(await store.commit(late)).toBe("conflict");
      expect((await loadedFrom(store)).rows).toEqual([row("a", 1, "{}")]);
      await store.close();
    });

    test.runIf(durable)("what was committed is there after the store was closed", async () => {
      const store = await world.connect();
      await createConfiguration(store, aCluster());
      const before = await Configuration.open(store, ports);
      const { snapshot } = await tag(before, "kept");
      await store.close();
      const again = await world.connect();
      const { snapshot: found } = await Configuration.open(again, ports);
      expect(found.content()).toEqual(snapshot.content());
      await again.close();
    });

    test("simultaneous commits to a configuration all succeed", async () => {
      const store = await world.connect();
      await createConfiguration(store, aCluster());
      const one = await Configuration.open(store, ports);
      const texts = Array.from({ length: 30 }, (_, i) => `t${i}`);
      await Promise.all(texts.map((text) => tag(one, text)));
      expect(one.snapshot.expectNode("node1").tags).toEqual(texts);
      const { snapshot } = await Configuration.open(store, ports);
      expect(snapshot.content()).toEqual(one.snapshot.content());
      await store.close();
    });

    test("a read during an acknowledgement returns that commit only", async () => {
      const store = await world.connect();
      await createConfiguration(store, aCluster());
      const one = await Configuration.open(store, ports);
      const other = one.snapshot.expectNode("node2");
      let isDone = false;
      const change = tag(one, "a").then(() => {
        isDone = true;
      });
      while (!isDone) {
        const now = await one.refresh();
        expect(now.expectNode("node2")).toBe(other);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await change;
      expect(one.snapshot.expectNode("node1").tags).toEqual(["a"]);
      await store.close();
    });

    describe.runIf(shared)("shared", () => {
      test("changes since a commit are the last forms, removals among them", async () => {
        const store = await world.connect();
        await store.commit({
          expectedSerial: 0,
          serial: 1,
          rows: [row("a", 1, "1"), row("b", 1, "1")],
        });
        await store.commit({ expectedSerial: 1, serial: 2, rows: [row("a", 2, "2")] });
        await store.commit({
          expectedSerial: 2,
          serial: 3,
          rows: [row("a", 3, "3"), row("b", 3, null)],
        });
        expect(await store.changesSince(3)).toEqual({ serial: 3, rows: [] });
        const news = await store.changesSince(1);
        if (news === "too old") throw new Error("it is recent");
        expect([news.serial, sorted(news.rows)]).toEqual([
          3,
          [row("a", 3, "3"), row("b", 3, null)],
        ]);
        await store.close();
      });

      test("of commits at the same time one wins, and the others hear of it", async () => {
        const stores = await Promise.all([1, 2, 3].map(() => world.connect()));
        const heard = stores.map((store) => new Promise<void>((resolve) => store.onNews(resolve)));
        const outcomes = await Promise.all(
          stores.map((store, i) =>
            store.commit({ expectedSerial: 0, serial: 1, rows: [row(`by${i}`, 1, "{}")] }),
          ),
        );
        expect(outcomes.toSorted()).toEqual(["conflict", "conflict", "done"]);
        const losers = heard.filter((_, i) => outcomes[i] === "conflict");
        await Promise.all(losers);
        expect((await loadedFrom(stores[0] as ConfigStore)).rows).toHaveLength(1);
        for (const store of stores) await store.close();
      });

      test("processes see each other's changes, and lose none", async () => {
        const stores = await Promise.all([1, 2].map(() => world.connect()));
        await createConfiguration(stores[0] as ConfigStore, aCluster());
        const all = await Promise.all(stores.map((store) => Configuration.open(store, ports)));
        const texts = Array.from({ length: 20 }, (_, i) => `t${i}`);
        await Promise.all(texts.map((text, i) => tag(all[i % 2] as Configuration, text)));
        const [a, b] = await Promise.all(all.map((one) => one.refresh()));
        if (a === undefined || b === undefined) throw new Error("two");
        expect(new Set(a.expectNode("node1").tags)).toEqual(new Set(texts));
        expect(a.content()).toEqual(b.content());
        const rebuilt = Snapshot.of(a.content());
        expect(rebuilt.content()).toEqual(a.content());
        for (const store of stores) await store.close();
      });
    });
  });
}
