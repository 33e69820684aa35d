// The allocator document and Ganeti 3.0.2 disagree about some keys: docs/differences.md says who is followed.
import { expect, test } from "vitest";
import { decodeMessage } from "../src/index.js";
import { completedExample, exampleOfDocument } from "./document-example.js";
import type { JsonObject } from "./message.js";

const decoded = (message: JsonObject) => decodeMessage(JSON.stringify(message));

test("the document's example lacks keys of its own list, and is refused in hail's words", () => {
  expect(() => decoded(exampleOfDocument())).toThrow(
    "invalid data for group 'uuid-1': key 'networks' not found",
  );
});

test("the document's example is read once the keys of its own list are there", () => {
  const { cluster, request } = decoded(completedExample());
  expect(cluster.nodes.map(({ memoryTotalMib }) => memoryTotalMib)).toEqual([3505, 3505]);
  expect(
    cluster.instances.map(({ name, primary, secondary }) => [name, primary, secondary]),
  ).toEqual([
    ["one.example.com", 0, -1],
    ["two.example.com", 0, 1],
  ]);
  expect(request).toMatchObject({
    type: "allocate",
    requiredNodes: 2,
    instance: { name: "new.example.com", diskMib: 3328 },
  });
});

test.each([
  { flag: "drained", isRead: false },
  { flag: "offline", isRead: true },
])("a node that is $flag without run-time data is read: $isRead", ({ flag, isRead }) => {
  const message = completedExample();
  const [node] = Object.values(message.nodes as JsonObject) as JsonObject[];
  for (const key of ["total_memory", "free_memory", "total_disk", "free_disk", "total_cpus"]) {
    delete node?.[key];
  }
  Object.assign(node as JsonObject, { [flag]: true });
  if (isRead) expect(decoded(message).cluster.nodes[0]).toMatchObject({ offline: true });
  else {
    expect(() => decoded(message)).toThrow(
      "invalid data for node 'node1.example.com': key 'total_memory' not found",
    );
  }
});
