import { expect, test } from "vitest";
import { aCluster, aNode, anInstance } from "./index.js";

test("a test states only what matters to it", () => {
  expect(aNode({ memoryFreeMib: 0 })).toMatchObject({ name: "node1", memoryFreeMib: 0 });
  expect(aCluster({ tags: ["a"] })).toMatchObject({ tags: ["a"], nodes: [{}, {}, {}] });
});

test("what is derived follows what is stated", () => {
  expect(aNode({ memoryTotalMib: 4096 }).memoryFreeMib).toBe(3072);
  const disks = [{ sizeMib: 1024, spindles: undefined }];
  expect(anInstance({ disks }).diskMib).toBe(1152);
  expect(anInstance({ disks, diskTemplate: "plain" }).diskMib).toBe(1024);
});
