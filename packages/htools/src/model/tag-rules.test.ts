import { expect, test } from "vitest";
import { TagRules } from "./tag-rules.js";

test("exclusion tags begin with a prefix as it stands, in their order, with repeats", () => {
  const rules = new TagRules(["htools:iextags:svc", "htools:iextags:", "htools:iextags:db:"]);
  const tags = ["svcx", "db", "db:1", "svc:a", "svc:a", "other", "htools:iextags:svc"];
  expect(rules.exclusionTags(tags)).toEqual(["svcx", "db:1", "svc:a", "svc:a"]);
  expect(new TagRules(["iextags:svc"]).exclusionTags(["svc:a"])).toEqual([]);
});

test("locations and migration tags need a colon behind the prefix, and count once", () => {
  const rules = new TagRules(["htools:nlocation:rack", "htools:migration:cpu"]);
  const tags = ["rack:1", "rack:1", "racks:2", "rack", "cpu:old", "cpus"];
  expect(rules.locations(tags)).toEqual(["rack:1"]);
  expect(rules.migrationTags(tags)).toEqual(["cpu:old"]);
});

test("desired locations are prefixes of instance tags, each once", () => {
  const rules = new TagRules(["htools:desiredlocation:rack", "htools:desiredlocation:"]);
  expect(rules.desiredLocations(["rack:1", "rack:1", "rack2", "x"])).toEqual(["rack:1", "rack2"]);
});

test("a node receives from its own kind and from what is allowed to it", () => {
  const rules = new TagRules([
    "htools:migration:cpu",
    "htools:allowmigration:cpu:old::cpu:new",
    "htools:allowmigration:cpu:a::cpu:b::cpu:new",
    "htools:allowmigration:cpu:x",
  ]);
  expect(rules.receivableTags(["cpu:new"])).toEqual(["cpu:new", "cpu:old"]);
  expect(rules.receivableTags(["cpu:old"])).toEqual(["cpu:old"]);
  expect(rules.receivableTags([])).toEqual([]);
});
