import { expect, test } from "vitest";
import { aCluster, seeded } from "../../test/cluster.js";
import { aCreation } from "../../test/holds.js";
import { readConfigFile } from "./config-file.js";
import { ganetiFile, nonAsciiPlaces, readLeftOut, withLeftOut } from "./ganeti-file.js";

test("what Ganeti's format has no place for is left out of the file, and joined again", () => {
  const base = aCluster();
  const { claim } = aCreation(base);
  const content = {
    ...base,
    cluster: { ...base.cluster, default_iallocators: { allocate: ["hail"] } },
    claims: [claim],
  };
  const { text, left } = ganetiFile(content, []);
  const file = JSON.parse(text);
  expect(file.instances).toEqual({});
  expect(file.disks).toEqual({});
  expect(file.cluster).not.toHaveProperty("default_iallocators");
  const read = readConfigFile(text, { random: seeded(), now: 1 }).content;
  expect(withLeftOut(read, readLeftOut(JSON.parse(JSON.stringify(left))))).toEqual(content);
});

test("a creation that has ended is not joined a second time", () => {
  const base = aCluster();
  const { claim, real } = aCreation(base);
  const { left } = ganetiFile({ ...base, claims: [claim] }, []);
  const joined = withLeftOut({ ...base, instances: [real] }, left);
  expect(joined.instances).toEqual([real]);
  expect(joined.claims).toEqual([]);
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

test("parts kept by an earlier version are read with their claims, and parts of another form are refused", () => {
  const { claim } = aCreation(aCluster());
  const { instance, disks, uuid } = claim;
  const held = [{ ...instance, held_by: 3 }];
  expect(readLeftOut({ version: 1, held, heldDisks: disks })).toEqual({ claims: [claim] });
  const nameless = [{ uuid, held_by: 3, disks: [], nics: [] }];
  expect(() => readLeftOut({ held: nameless })).toThrow(`Claim '${uuid}' is invalid: node: `);
  expect(() => readLeftOut({ claims: [{ ...claim, kind: "removal" }] })).toThrow("claims/0");
  expect(() => readLeftOut({ claims: "none" })).toThrow("claims: ");
  expect(() => readLeftOut([])).toThrow();
});
