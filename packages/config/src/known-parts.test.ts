import { expect, test } from "vitest";
import { aCluster, seeded } from "../test/cluster.js";
import { Snapshot } from "./snapshot.js";

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test("a changed cluster object keeps the parts of the one before that are equal", () => {
  const before = Snapshot.of(copyOf(aCluster({ random: seeded(1) })));
  const { cluster } = before;
  const object = { ...copyOf(cluster), tags: ["changed"], highest_used_port: 12_345 };
  const after = before.with([{ kind: "cluster", object }], { serial: 2, mtime: 2 }).cluster;
  expect(after).toEqual(object);
  expect(after.hvparams).toBe(cluster.hvparams);
  expect(after.ipolicy).toBe(cluster.ipolicy);
  expect(after.tags).not.toBe(cluster.tags);
});
