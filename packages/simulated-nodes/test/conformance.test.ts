import type { NodeCallName } from "@ganeti-ts/node-calls";
import { nodeCalls } from "@ganeti-ts/node-calls/catalog";
import { describeNodeBackend, laws } from "@ganeti-ts/node-calls/conformance";
import { describe, expect, test } from "vitest";
import { simulatedStage } from "./simulated-stage.js";

const made = new Set<NodeCallName>();

describeNodeBackend(
  "the simulation",
  { open: simulatedStage, onCall: (name) => made.add(name) },
  { describe, test },
);

// Runs after the laws, in the order of declaration.
test("the laws make every call of the catalog and cover every group", () => {
  expect(Object.keys(nodeCalls).filter((name) => !made.has(name as NodeCallName))).toEqual([]);
  expect(new Set(laws.map(({ about }) => about)).size).toBe(9);
});
