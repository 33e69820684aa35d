import type { InstanceData } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance, aPolicy, aSpec } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { loadCluster } from "../model/load.js";
import { answerRequest } from "../requests.js";
import { compareLostAllocations, isDedicated } from "./dedicated.js";

const size = (memoryMib: number, cpuCount: number, diskMib: number) => {
  const spec = aSpec({ memoryMib, cpuCount, diskMib });
  return { min: spec, max: spec };
};
const policy = aPolicy({ minMax: [size(4096, 2, 40960), size(1024, 1, 10240)] });
const small: Partial<InstanceData> = {
  memoryMib: 1024,
  diskMib: 10240,
  disks: [{ sizeMib: 10240, spindles: 1 }],
  diskTemplate: "plain",
};
const b = { memoryFreeMib: 7168, diskFreeMib: 71680, spindleFree: 7 };

/** Nodes a, b and c with exclusive storage; b holds one small instance unless it is to be empty. */
function cluster(empty: boolean) {
  const nodes = ["a", "b", "c"].map((name) =>
    aNode({
      name,
      memoryTotalMib: 9216,
      diskTotalMib: 81920,
      cpuTotal: 8,
      spindleTotal: 8,
      exclusiveStorage: true,
      ...(name === "b" && !empty ? b : {}),
    }),
  );
  const instances = empty ? [] : [anInstance({ ...small, name: "there", primary: 1 })];
  return aCluster({ groups: [aGroup({ policy })], nodes, instances });
}

function answer(empty: boolean, change: Partial<InstanceData>, groupName?: string) {
  const instance = anInstance({ ...small, name: "new", ...change });
  const requiredNodes = instance.diskTemplate === "drbd" ? 2 : 1;
  const request = {
    type: "allocate",
    instance,
    requiredNodes,
    groupName,
    restrictToNodes: undefined,
  } as const;
  const options = { ignoreSoftErrors: false, capacityChecks: true };
  const { info, result } = answerRequest(loadCluster(cluster(empty)), request, options).answer;
  return { info: info.replace(/^.*\): score/, "score"), result };
}

describe("the least loss of what else would fit", () => {
  test("goes where the disk left is least, among equals to the last", () => {
    expect(answer(false, {})).toEqual({
      info: "score: ([0,1],61440), successes 3, failures 0 () for node(s) b",
      result: ["b"],
    });
    expect(answer(true, {})).toEqual({
      info: "score: ([0,1],71680), successes 3, failures 0 () for node(s) c",
      result: ["c"],
    });
  });

  test("counts both nodes of a pair", () => {
    const { info, result } = answer(false, { diskTemplate: "drbd", diskMib: 10368 });
    expect(info).toContain("score: ([0,2],132864)");
    expect(result).toEqual(["c", "b"]);
  });

  test("comes before the disk, size by size", () => {
    const lost = (losses: number[], diskFreeMib: number) => ({ lost: losses, diskFreeMib });
    const rising = [lost([0, 9], 9), lost([1, 0], 1), lost([1, 0], 2), lost([1, 1], 0)];
    for (const [at, one] of rising.entries()) {
      for (const [other, two] of rising.entries()) {
        expect(Math.sign(compareLostAllocations(one, two))).toBe(Math.sign(at - other));
      }
    }
  });
});

test("the metric applies where every node of the groups that matter has exclusive storage", () => {
  const groups = [
    aGroup({ name: "open", uuid: "u1" }),
    aGroup({ name: "closed", uuid: "u2", allocationPolicy: "unallocable" }),
  ];
  const node = (groupIndex: number, exclusiveStorage: boolean) =>
    aNode({ name: `${groupIndex}${exclusiveStorage}`, groupIndex, exclusiveStorage });
  const dedicated = (nodes: ReturnType<typeof aNode>[], name?: string) =>
    isDedicated(loadCluster(aCluster({ groups, nodes })), name);
  expect(dedicated([node(0, true), node(1, false)])).toBe(true);
  expect(dedicated([node(0, true), node(0, false)])).toBe(false);
  expect(dedicated([node(0, true), node(1, false)], "closed")).toBe(false);
  // A UUID is not a name here, so that no group matters; nor is there one on an empty cluster.
  expect(dedicated([node(0, false)], "u1")).toBe(true);
  expect(dedicated([])).toBe(true);
});
