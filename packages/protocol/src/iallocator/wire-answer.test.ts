import { expect, test } from "vitest";
import { wireAnswers } from "./wire-answer.js";

const migrate = {
  OP_ID: "OP_INSTANCE_MIGRATE",
  instance_name: "web",
  allow_runtime_changes: false,
  ignore_ipolicy: false,
  cleanup: false,
  allow_failover: true,
  ignore_hvversions: true,
};
const jobs = [
  {
    OP_ID: "OP_INSTANCE_REPLACE_DISKS",
    instance_name: "web",
    early_release: false,
    ignore_ipolicy: false,
    mode: "replace_new_secondary",
    disks: [],
    remote_node: "node3",
  },
  migrate,
  { ...migrate, target_node: "node2", depends: [[-1, ["success"]]] },
  {
    OP_ID: "OP_INSTANCE_FAILOVER",
    instance_name: "web",
    shutdown_timeout: 120,
    ignore_consistency: false,
    target_node: "node2",
    ignore_ipolicy: false,
    cleanup: false,
  },
];
const moved = ["web", "default", ["node3", "node2"]];

test.each([
  { type: "allocate", result: ["node1", "node2"] },
  { type: "allocate-secondary", result: "node2" },
  { type: "relocate", result: ["node2"] },
  { type: "multi-allocate", result: [[["new", ["node1"]]], [["big", "no place"]]] },
  { type: "multi-allocate", result: [[["new", ["node1"]]], ["big"]] },
  { type: "multi-allocate", result: [[], []] },
  { type: "node-evacuate", result: [[moved], [["db", "Can't find any good node"]], [jobs]] },
  { type: "change-group", result: [[], [["db", null]], []] },
] as const)("$type may answer $result", ({ type, result }) => {
  const answer = { success: true, info: "done", result };
  expect(wireAnswers[type].parse(answer)).toEqual(answer);
});

test.each([
  { type: "allocate", result: "node1" },
  { type: "allocate", result: [""] },
  { type: "allocate", result: [5] },
  { type: "allocate-secondary", result: ["node2"] },
  { type: "relocate", result: null },
  { type: "multi-allocate", result: [[]] },
  { type: "multi-allocate", result: [[["new", "node1"]], []] },
  { type: "node-evacuate", result: [[], []] },
  { type: "node-evacuate", result: [[["web", "default"]], [], []] },
  { type: "node-evacuate", result: [[moved], [], [[{ OP_ID: "OP_INSTANCE_REMOVE" }]]] },
  { type: "change-group", result: [[moved], [], jobs] },
] as const)("$type may not answer $result", ({ type, result }) => {
  expect(wireAnswers[type].safeParse({ success: true, info: "", result }).success).toBe(false);
});

test("a failure of any request has a reason and an empty list", () => {
  for (const schema of Object.values(wireAnswers)) {
    const failure = { success: false, info: "Request failed: no place", result: [] };
    expect(schema.parse(failure)).toEqual(failure);
    expect(schema.safeParse({ ...failure, result: ["node1"] }).success).toBe(false);
    expect(schema.safeParse({ ...failure, info: undefined }).success).toBe(false);
  }
});
