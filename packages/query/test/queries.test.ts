import { expect, test } from "vitest";
import { decodeFilter, fieldDefinitions, planQuery, refuseUnknownFields } from "../src/index.js";
import { aNode, nodeResource, nodes, type TestNode } from "./nodes.js";
import vectors from "./vectors/queries.json" with { type: "json" };

function namesFound(filter: unknown, items: readonly TestNode[] = nodes): unknown[] {
  const plan = planQuery(nodeResource, ["name"], decodeFilter(filter));
  return plan.answer(plan.candidates(items)).data.map(([entry]) => entry?.[1]);
}

test.each(vectors.filter(({ found }) => found))("$filter finds $found", ({ filter, found }) => {
  expect(namesFound(filter)).toEqual(found);
});

test.each(vectors.filter(({ message }) => message))("$filter fails: $message", (vector) => {
  expect(() => namesFound(vector.filter)).toThrow(vector.message as string);
});

test("items are listed in natural order of their names", () => {
  const items = ["a10", "a2", "b", "a", "a2b", "1", "a02", "a1"].map((name) => aNode({ name }));
  expect(namesFound(null, items)).toEqual(["1", "a", "a1", "a2", "a02", "a2b", "a10", "b"]);
});

test("a name that begins several host names is refused", () => {
  const items = ["web.a", "web.b"].map((name) => aNode({ name }));
  expect(() => namesFound(["==", "name", "web"], items)).toThrow(
    "Node name web has multiple matches",
  );
});

test("a missing item that was selected by name can be replaced", () => {
  const resource = { ...nodeResource, missing: (name: string) => aNode({ name, mem: null }) };
  const plan = planQuery(resource, ["name", "mem"], decodeFilter(["==", "name", "gone"]));
  expect(plan.answer(plan.candidates(nodes)).data).toEqual([
    [
      [0, "gone"],
      [4, null],
    ],
  ]);
});

test.each([
  { filter: [">", "mem", 5], first: ["node1", "node2", "node3"], second: ["node2", "node3"] },
  { filter: ["!", [">", "mem", 5]], first: ["node1", "node2", "node3"], second: ["node1"] },
  { filter: ["&", ["==", "name", "node2"], [">", "mem", 5]], first: ["node2"], second: ["node2"] },
  {
    filter: ["|", [">", "mem", 5], ["?", "load"]],
    first: ["node1", "node2", "node3"],
    second: null,
  },
])("$filter lets $first through before live data is there", ({ filter, first, second }) => {
  const before = ["node1", "node2", "node3"].map((name) => aNode({ name, mem: undefined }));
  const plan = planQuery(nodeResource, ["name"], decodeFilter(filter));
  const candidates = plan.candidates(before);
  expect(candidates.map(({ name }) => name)).toEqual(first);
  const after = candidates.map((node) => ({ ...node, mem: node.name === "node1" ? 4 : 6 }));
  if (second === null) expect(() => plan.answer(after)).toThrow("boolean context");
  else expect(plan.answer(after).data).toEqual(second.map((name) => [[0, name]]));
});

test("a query needs the fields that it shows or filters by", () => {
  const filter = decodeFilter(["|", [">", "mem", 5], ["==", "mem", 3], ["?", "vm"]]);
  expect(planQuery(nodeResource, ["name", "nosuch", "vm"], filter).fieldNames).toEqual([
    "name",
    "vm",
    "mem",
  ]);
});

test("unknown columns are shown without values, or refused where only values are shown", () => {
  const plan = planQuery(nodeResource, ["nosuch"], decodeFilter(null));
  expect(plan.answer(nodes)).toEqual({
    fields: [{ name: "nosuch", title: "nosuch", kind: "unknown", doc: "Unknown field 'nosuch'" }],
    data: [[[1, null]], [[1, null]]],
  });
  expect(() => refuseUnknownFields(nodeResource, ["x", "name", "y"])).toThrow(
    "Unknown output fields selected: x, y",
  );
});

test("fields are listed in natural order unless they are named", () => {
  expect(fieldDefinitions(nodeResource).map(({ name }) => name)).toEqual([
    "ctime",
    "load",
    "mem",
    "name",
    "nothing",
    "tags",
    "vm",
  ]);
  expect(fieldDefinitions(nodeResource, ["vm", "x"]).map(({ kind }) => kind)).toEqual([
    "other",
    "unknown",
  ]);
});
