import { expect, test } from "vitest";
import { refused } from "../support/results.js";
import { busyCluster } from "./busy-cluster.js";

test.each([
  { kind: "cluster", name: null, path: "/cluster" },
  { kind: "instance", name: "inst1", path: "/instances/inst1.example.com" },
  { kind: "node", name: "node2", path: "/nodes/node2.example.com" },
  { kind: "nodegroup", name: "default", path: "/nodegroup/default" },
  { kind: "network", name: "net1", path: "/network/net1" },
])("tags of a $kind are set, found, shown and taken away", async ({ kind, name, path }) => {
  const { try: run } = await busyCluster();
  const what = { kind, ...(name === null ? {} : { name }) };
  expect(await run({ OP_ID: "OP_TAGS_SET", ...what, tags: ["role:db", "x"] })).toMatchObject({
    status: "success",
    result: null,
  });
  expect(await run({ OP_ID: "OP_TAGS_SET", ...what, tags: ["x"] })).toMatchObject({ result: null });
  expect(await run({ OP_ID: "OP_TAGS_SEARCH", pattern: "^role:" })).toMatchObject({
    result: [[path, "role:db"]],
  });
  await run({ OP_ID: "OP_TAGS_DEL", ...what, tags: ["role:db"] });
  const { result } = await run({ OP_ID: "OP_TAGS_GET", ...what });
  expect(result).toEqual(kind === "instance" ? ["web", "x"] : ["x"]);
});

test("queries also run as jobs", async () => {
  const { try: run } = await busyCluster();
  const query = { OP_ID: "OP_QUERY", what: "network", fields: ["name", "nosuch"] };
  expect((await run({ ...query, qfilter: ["=", "name", "net2"] })).result).toMatchObject({
    data: [
      [
        [0, "net2"],
        [1, null],
      ],
    ],
  });
  expect(await run({ ...query, qfilter: ["==", "name", "none"] })).toMatchObject({
    result: refused("Network name none not found", "unknown_entity"),
  });
  expect((await run({ OP_ID: "OP_QUERY_FIELDS", what: "export" })).result).toMatchObject({
    fields: [{ name: "export" }, { name: "node" }],
  });
});
