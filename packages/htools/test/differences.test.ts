// The entries of docs/differences.md: our behaviour, and that of the original where it is installed.
import type { AllocatorMessage } from "@ganeti-ts/protocol";
import { aGroup, anInstance } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { answerRequest, defaultPolicy, loadCluster } from "../src/index.js";
import { hailAnswer, missing } from "./reference/hail.js";
import { allocation, named, vectorCluster, vectorGroup, vectorNode, wanted } from "./vectors.js";

const switches = { ignoreSoftErrors: false, capacityChecks: true };
const ask = ({ cluster, request }: AllocatorMessage) =>
  answerRequest(loadCluster(cluster), request, switches);
const dies = (message: AllocatorMessage) => {
  if (!missing) expect(hailAnswer(message, switches)).toBeUndefined();
};
const second = aGroup({ name: "second", uuid: "g2", policy: defaultPolicy });

describe("where the original dies of an index that is not in the map, ours answers", () => {
  test("drbd on one node: no such placement could be emptied", () => {
    const cluster = vectorCluster(named("n0", "n1", "n2"));
    const message = { cluster, request: { ...allocation(), requiredNodes: 1 } };
    expect(ask(message).answer.info).toBe(
      "Request failed: Group default (preferred): No valid allocation solutions, failure reasons: FailN1: 3",
    );
    dies(message);
  });

  test("a drbd instance without secondary: its node cannot be emptied", () => {
    const there = anInstance({ name: "there", primary: 0 });
    const message = {
      cluster: vectorCluster(named("n0", "n1", "n2"), [there]),
      request: allocation(),
    };
    expect(ask(message).answer.info).toContain("FailN1: 6");
    dies(message);
  });

  test("a secondary outside the group named: it is where it is", () => {
    const nodes = [...named("n0", "n1", "n2"), vectorNode({ name: "o0", groupIndex: 1 })];
    const across = anInstance({ name: "across", primary: 0, secondary: 3 });
    const cluster = vectorCluster(nodes, [across], { groups: [vectorGroup, second] });
    const message = { cluster, request: { ...allocation(), groupName: "default" } };
    expect(ask(message).answer).toMatchObject({ success: true, result: ["n2", "n1"] });
    dies(message);
  });
});

test("several instances in a named dedicated group: the answer is the same, the state has them all", () => {
  const node = { exclusiveStorage: true, spindleFree: 12, memoryFreeMib: 31744 };
  const disks = [{ sizeMib: 10240, spindles: 1 }];
  const one = (name: string) => wanted({ name, diskTemplate: "plain", disks });
  const cluster = vectorCluster(["n0", "n1"].map((name) => vectorNode({ name, ...node })));
  const request = {
    type: "multi-allocate",
    wanted: [one("a"), one("b"), one("c")],
    groupName: "default",
  } as const;
  const { answer, after, dedicated } = ask({ cluster, request });
  expect(dedicated).toBe(true);
  expect(answer.result).toEqual([["a", "b", "c"].map((name) => [name, ["n1"]]), []]);
  expect(after.instanceCount).toBe(3);
  if (!missing) {
    const expected = JSON.parse(hailAnswer({ cluster, request }, switches) as string);
    expect(expected.result).toEqual(answer.result);
  }
});

test("a size of the policy that needs nothing does not count, where the original counts without end", () => {
  const spec = { memoryMib: 0, cpuCount: 0, diskMib: 0, diskCount: 1, nicCount: 1, spindleUse: 1 };
  const policy = {
    ...defaultPolicy,
    minMax: [{ min: spec, max: defaultPolicy.minMax[0]?.max ?? spec }],
  };
  const node = vectorNode({ name: "n0", exclusiveStorage: true, spindleFree: 12 });
  const cluster = vectorCluster([node], [], { groups: [{ ...vectorGroup, policy }] });
  const disks = [{ sizeMib: 10240, spindles: 1 }];
  const request = allocation({ diskTemplate: "plain", disks });
  expect(ask({ cluster, request }).answer.info).toContain("score: ([0],1013760)");
});
