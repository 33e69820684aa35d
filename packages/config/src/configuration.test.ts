import { JobId } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import {
  aCluster,
  aDrbdDisk,
  anInstance,
  aPlainDisk,
  apply,
  nodeNamed,
  opened,
  ports,
  put,
  seeded,
} from "../test/cluster.js";
import { creationChanges, realChanges } from "../test/holds.js";
import { ConfigError } from "./config-error.js";
import { Configuration, createConfiguration } from "./configuration.js";
import { createMemoryStore, createMemoryStores } from "./memory-store.js";
import { droppedClaims } from "./removal.js";
import { secondaryNodes } from "./snapshot.js";

test("claims change without a notification of nodes", async () => {
  const configuration = await opened();
  const { snapshot } = configuration;
  const random = seeded();
  const node = nodeNamed(snapshot, 1).uuid;
  const disk = aPlainDisk(random, node);
  const instance = anInstance(random, "web", node, { disks: [disk.uuid] });
  const held = await apply(configuration, ...creationChanges(instance, [disk], JobId.parse(7)));
  const claims = [...held.claims()];
  expect(claims).toHaveLength(1);
  expect(held.cluster.serial_no).toBe(snapshot.cluster.serial_no);
  const gone = await apply(configuration, ...droppedClaims(held, [claims[0]?.uuid as never]));
  expect(gone.cluster.serial_no).toBe(snapshot.cluster.serial_no);
  const again = await apply(configuration, ...creationChanges(instance, [disk], JobId.parse(8)));
  const real = await apply(configuration, ...realChanges(again, instance.uuid));
  expect(real.cluster.serial_no).toBe((snapshot.cluster.serial_no ?? 0) + 1);
});

test("a change is in the next snapshot, and the one before stays as it was", async () => {
  const configuration = await opened();
  const before = configuration.snapshot;
  const node = nodeNamed(before, 2);
  const { snapshot, value } = await configuration.change((now) => ({
    changes: [
      put("node", { ...now.expectNode(node.uuid), drained: true, master_candidate: false }),
    ],
    value: "done",
  }));
  expect(value).toBe("done");
  expect(snapshot.node(node.uuid)).toMatchObject({ drained: true, serial_no: 2 });
  expect(before.node(node.uuid)).toMatchObject({ drained: false, serial_no: 1 });
  expect(snapshot.serial).toBe(before.serial + 1);
  expect(configuration.snapshot).toBe(snapshot);
});

test("a new object has serial number 1, ctime and mtime of the change, and the cluster's serial number grows", async () => {
  const configuration = await opened();
  const node = nodeNamed(configuration.snapshot, 1);
  const instance = anInstance(seeded(), "web1.example.com", node.uuid);
  const after = await apply(configuration, put("instance", { ...instance, serial_no: 77 }));
  const { mtime } = after;
  expect(after.instance(instance.uuid)).toMatchObject({ serial_no: 1, ctime: mtime, mtime });
  expect(after.cluster.serial_no).toBe(2);
});

test("what does not differ is not written, and moves nothing", async () => {
  const configuration = await opened();
  const before = configuration.snapshot;
  const node = nodeNamed(before, 1);
  const { snapshot } = await configuration.change(() => ({
    changes: [put("node", { ...node, tags: [] }), { kind: "cluster", object: before.cluster }],
    value: 0,
  }));
  expect(snapshot).toBe(before);
});

test("an object made from an older form is refused", async () => {
  const configuration = await opened();
  const stale = nodeNamed(configuration.snapshot, 1);
  await apply(configuration, put("node", { ...stale, tags: ["a"] }));
  const refused = apply(configuration, put("node", { ...stale, tags: ["b"] }));
  await expect(refused).rejects.toMatchObject({ code: "conflict" });
  expect(nodeNamed(configuration.snapshot, 1).tags).toEqual(["a"]);
});

test("an error of the decision changes nothing, and others of the same turn are carried out", async () => {
  const configuration = await opened();
  const tagged = (tag: string) =>
    configuration.change((now) => {
      if (tag === "bad") throw new ConfigError("wrong_state", "not that one");
      const node = nodeNamed(now, 1);
      return { changes: [put("node", { ...node, tags: [...node.tags, tag] })], value: tag };
    });
  const outcomes = await Promise.allSettled(["a", "b", "bad", "c"].map(tagged));
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...["fulfilled", "fulfilled", "rejected", "fulfilled"],
  ]);
  expect(nodeNamed(configuration.snapshot, 1)).toMatchObject({
    tags: ["a", "b", "c"],
    serial_no: 4,
  });
});

test("changes that come while the store gathers share its commit, later ones do not", async () => {
  const store = createMemoryStore();
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  await createConfiguration(store, aCluster());
  const gathering = async () => {
    for (let at = 0; at < 3; at++) await turn();
  };
  const configuration = await Configuration.open(Object.assign(store, { gathering }), ports());
  const add = (tag: string) =>
    configuration.change((now) => {
      const node = nodeNamed(now, 1);
      return { changes: [put("node", { ...node, tags: [...node.tags, tag] })], value: tag };
    });
  const before = configuration.snapshot.serial;
  const first = add("a");
  await turn();
  await Promise.all([first, add("b")]);
  expect(configuration.snapshot.serial).toBe(before + 1);
  await add("c");
  expect(configuration.snapshot.serial).toBe(before + 2);
  expect(nodeNamed(configuration.snapshot, 1).tags).toEqual(["a", "b", "c"]);
});

test("two processes on one store decide again when the other was sooner", async () => {
  const [storeA, storeB] = createMemoryStores(2);
  if (storeA === undefined || storeB === undefined) throw new Error("two stores");
  await createConfiguration(storeA, aCluster());
  const a = await Configuration.open(storeA, ports());
  const b = await Configuration.open(storeB, ports());
  const count = 20;
  const add = (one: Configuration, tag: string) =>
    one.change((now) => {
      const node = nodeNamed(now, 1);
      return { changes: [put("node", { ...node, tags: [...node.tags, tag] })], value: tag };
    });
  await Promise.all(Array.from({ length: count }, (_, i) => add(i % 2 === 0 ? a : b, `tag${i}`)));
  const [inA, inB] = [await a.refresh(), await b.refresh()];
  expect(new Set(nodeNamed(inA, 1).tags).size).toBe(count);
  expect(inA.content()).toEqual(inB.content());
});

test("a refusal that comes of old news is decided again", async () => {
  const [storeA, storeB] = createMemoryStores(2);
  if (storeA === undefined || storeB === undefined) throw new Error("two stores");
  await createConfiguration(storeA, aCluster());
  const a = await Configuration.open(storeA, ports());
  storeB.onNews = () => {};
  const b = await Configuration.open(storeB, ports());
  const instance = anInstance(seeded(), "web1", nodeNamed(a.snapshot, 1).uuid);
  await apply(a, put("instance", instance));
  expect(b.snapshot.instance(instance.uuid)).toBeUndefined();
  const seen = await b.change((now) => ({ changes: [], value: now.expectInstance("web1").uuid }));
  expect(seen.value).toBe(instance.uuid);
});

test("there is one first configuration", async () => {
  const store = createMemoryStore();
  await expect(Configuration.open(store, ports())).rejects.toThrow("Cluster is not initialised");
  await createConfiguration(store, aCluster());
  await expect(createConfiguration(store, aCluster())).rejects.toThrow(
    "Cluster is already initialised",
  );
});

test("listeners hear of what changed, until they are gone", async () => {
  const configuration = await opened();
  const heard: string[] = [];
  const end = configuration.onChange(({ before, after, changes }) => {
    heard.push(`${before.serial}-${after.serial} ${changes.map(({ kind }) => kind)}`);
  });
  const tag = (text: string) =>
    apply(configuration, put("node", { ...nodeNamed(configuration.snapshot, 1), tags: [text] }));
  await tag("one");
  end();
  await tag("two");
  expect(heard).toEqual(["1-2 put,cluster"]);
});

test("nodes know their instances, also those whose disk has moved", async () => {
  const configuration = await opened();
  const random = seeded();
  const [one, two, three] = [1, 2, 3].map((n) => nodeNamed(configuration.snapshot, n).uuid);
  if (one === undefined || two === undefined || three === undefined) throw new Error("three nodes");
  const disk = aDrbdDisk(random, [one, two], { port: 11000, minors: [0, 0] });
  const instance = anInstance(random, "db", one, { disks: [disk.uuid] });
  const placed = await apply(configuration, put("instance", instance), put("disk", disk));
  expect(placed.instancesOfNode(two).secondary.map(({ name }) => name)).toEqual(["db"]);
  const moved = await apply(
    configuration,
    put("disk", { ...placed.disk(disk.uuid), nodes: [one, three] }),
  );
  expect(moved.instancesOfNode(two).secondary).toEqual([]);
  expect(moved.instancesOfNode(three).secondary.map(({ name }) => name)).toEqual(["db"]);
  expect(secondaryNodes(moved, moved.expectInstance("db"))).toEqual([three]);
  expect(placed.instancesOfNode(two).secondary).toHaveLength(1);
});

test("a store that has gone back in time is not followed", async () => {
  const store = createMemoryStore();
  await createConfiguration(store, aCluster());
  const older = { changesSince: async () => ({ serial: 0, rows: [] }) };
  const configuration = await Configuration.open(Object.assign(store, older), ports());
  await expect(configuration.refresh()).rejects.toThrow(/serial number 0 after 1/);
});

test("a refresh sees changes written before the call, even while an older refresh is in progress", async () => {
  const [storeA, storeB] = createMemoryStores(2);
  if (storeA === undefined || storeB === undefined) throw new Error("two stores");
  await createConfiguration(storeA, aCluster());
  const a = await Configuration.open(storeA, ports());
  storeB.onNews = () => {};
  const b = await Configuration.open(storeB, ports());
  const read = storeB.changesSince.bind(storeB);
  let deliver = () => {};
  storeB.changesSince = async (serial) => {
    const news = await read(serial);
    await new Promise<void>((resolve) => {
      deliver = resolve;
    });
    storeB.changesSince = read;
    return news;
  };
  const older = b.refresh();
  await expect.poll(() => deliver.length).toBe(1);
  const instance = anInstance(seeded(), "web1", nodeNamed(a.snapshot, 1).uuid);
  await apply(a, put("instance", instance));
  const newer = b.refresh();
  deliver();
  expect((await older).instance(instance.uuid)).toBeUndefined();
  expect((await newer).instance(instance.uuid)).toBeDefined();
});
