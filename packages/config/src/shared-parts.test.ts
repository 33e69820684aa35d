import { expect, test } from "vitest";
import { SharedParts } from "./known-parts.js";

const node = "00000000-0000-4000-8000-000000000001";
const disk = {
  uuid: "00000000-0000-4000-8000-000000000002",
  nodes: [node],
  params: {},
  tags: [],
  logical_id: [node, null, 11_000, 0],
  children: [{ uuid: "00000000-0000-4000-8000-000000000003", nodes: [node], params: {} }],
};

/** Parsed from its own text. */
const copyOf = (object: typeof disk): typeof disk => JSON.parse(JSON.stringify(object));

test("objects stay equal, and their empty parts are the same", () => {
  const parts = new SharedParts();
  const [one, other] = [copyOf(disk), copyOf(disk)];
  for (const object of [one, other]) parts.share(object);
  expect([one, other]).toEqual([disk, disk]);
  expect(one.params).toBe(other.children[0]?.params);
  expect(one.tags).toBe(other.tags);
  expect(one.nodes).not.toBe(other.nodes);
});

test("an empty part cannot be changed for all that have it", () => {
  const object = copyOf(disk);
  new SharedParts().share(object);
  expect(() => Object.assign(object.params, { one: 1 })).toThrow(TypeError);
  expect(() => (object.tags as string[]).push("one")).toThrow(TypeError);
});
