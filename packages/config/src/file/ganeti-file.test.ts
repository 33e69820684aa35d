import { expect, test } from "vitest";
import { aCluster, seeded } from "../../test/cluster.js";
import { aHeldCreation } from "../../test/holds.js";
import { readConfigFile } from "./config-file.js";
import { ganetiFile, nonAsciiPlaces, withLeftOut } from "./ganeti-file.js";

test("what Ganeti's format has no place for is left out of the file, and joined again", () => {
  const base = aCluster();
  const { instance, disk } = aHeldCreation(base);
  const content = {
    ...base,
    cluster: { ...base.cluster, default_iallocators: { allocate: ["hail"] } },
    instances: [instance],
    disks: [disk],
  };
  const { text, left } = ganetiFile(content, []);
  const file = JSON.parse(text);
  expect(file.instances).toEqual({});
  expect(file.disks).toEqual({});
  expect(file.cluster).not.toHaveProperty("default_iallocators");
  const read = readConfigFile(text, { random: seeded(), now: 1 }).content;
  expect(withLeftOut(read, JSON.parse(JSON.stringify(left)))).toEqual(content);
});

test("an entry that has become real is not joined a second time", () => {
  const base = aCluster();
  const { instance, disk, real } = aHeldCreation(base);
  const { left } = ganetiFile({ ...base, instances: [instance], disks: [disk] }, []);
  const joined = withLeftOut({ ...base, instances: [real] }, left);
  expect(joined.instances).toEqual([real]);
  expect(joined.disks).toEqual([]);
});

test("groups have an empty list of members, as Ganeti writes it", () => {
  const { nodegroups } = JSON.parse(ganetiFile(aCluster(), []).text);
  expect(Object.values(nodegroups)).toEqual([expect.objectContaining({ members: [] })]);
});

test("places of values outside of ASCII are named by their keys", () => {
  expect(nonAsciiPlaces({ tags: ["a", "größe"], ok: 1, inner: { ä: null } })).toEqual([
    "tags/1",
    "inner",
  ]);
  expect(nonAsciiPlaces(Array(20).fill("ü"), 3)).toHaveLength(3);
  expect(nonAsciiPlaces({ plain: ["~"] })).toEqual([]);
});
