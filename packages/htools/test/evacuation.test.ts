// Evacuations and group changes as Ganeti words them and carries them out.
import type { AllocatorRequest, InstanceData } from "@ganeti-ts/protocol";
import { aGroup, anInstance } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { answerRequest, defaultPolicy, loadCluster } from "../src/index.js";
import { named, vectorCluster, vectorGroup, vectorNode } from "./vectors.js";

const options = { ignoreSoftErrors: false, capacityChecks: true };
const three = named("n0", "n1", "n2");
const drbd = anInstance({ name: "d", primary: 0, secondary: 1 });
const ext = anInstance({ name: "e", diskTemplate: "ext", primary: 0 });
const plain = anInstance({ name: "p", diskTemplate: "plain", primary: 0 });

function ask(request: AllocatorRequest, instances: readonly InstanceData[], nodes = three) {
  return answerRequest(loadCluster(vectorCluster(nodes, instances)), request, options).answer;
}

describe("evacuating", () => {
  const evacuate = (
    instance: InstanceData,
    mode: "primary-only" | "secondary-only" | "all",
    nodes = three,
  ) => ask({ type: "node-evacuate", instanceIndices: [0], mode }, [instance], nodes).result;
  const replace = (node: string, instance_name = "d") => ({
    OP_ID: "OP_INSTANCE_REPLACE_DISKS",
    instance_name,
    early_release: false,
    ignore_ipolicy: false,
    mode: "replace_new_secondary",
    disks: [],
    remote_node: node,
  });
  const migrate = (instance_name: string, target = {}) => ({
    OP_ID: "OP_INSTANCE_MIGRATE",
    instance_name,
    ...target,
    allow_runtime_changes: false,
    ignore_ipolicy: false,
    cleanup: false,
    allow_failover: true,
    ignore_hvversions: true,
  });

  test("a primary fails over, a secondary is replaced, both are walked round", () => {
    expect(evacuate(drbd, "primary-only")).toEqual([
      [["d", "default", ["n1", "n0"]]],
      [],
      [[migrate("d")]],
    ]);
    expect(evacuate(drbd, "secondary-only")).toEqual([
      [["d", "default", ["n0", "n2"]]],
      [],
      [[replace("n2")]],
    ]);
    const four = [...three, vectorNode({ name: "n3" })];
    expect(evacuate(drbd, "all", four)).toEqual([
      [["d", "default", ["n3", "n2"]]],
      [],
      [[replace("n3"), migrate("d"), replace("n2")]],
    ]);
  });

  test("with a drained primary it first fails over", () => {
    const drained = vectorNode({ name: "n0", offline: true });
    const four = [drained, ...three.slice(1), vectorNode({ name: "n3" })];
    const [, , jobs] = evacuate(drbd, "all", four) as [unknown, unknown, unknown[][]];
    expect(jobs).toEqual([[migrate("d"), replace("n3"), migrate("d"), replace("n2")]]);
  });

  test("what can be reached from everywhere moves to the best node", () => {
    const target = { target_node: "n2" };
    expect(evacuate(ext, "all")).toEqual([
      [["e", "default", ["n2"]]],
      [],
      [[migrate("e", target)]],
    ]);
    const reserved = { ...ext, forthcoming: true };
    const [, , jobs] = evacuate(reserved, "all") as [unknown, unknown, { OP_ID: string }[][]];
    expect(JSON.stringify(jobs[0])).toBe(
      '[{"OP_ID":"OP_INSTANCE_FAILOVER","instance_name":"e","shutdown_timeout":120,' +
        '"ignore_consistency":false,"target_node":"n2","ignore_ipolicy":false,"cleanup":false}]',
    );
  });

  const alone = three.slice(0, 2);
  test.each([
    {
      instance: plain,
      mode: "all",
      nodes: three,
      reason: "Instances of type plain cannot be relocated",
    },
    {
      instance: ext,
      mode: "secondary-only",
      nodes: three,
      reason: "Instances with disk template 'ext' can't execute change secondary",
    },
    { instance: drbd, mode: "secondary-only", nodes: alone, reason: "Can't find any good node: " },
    {
      instance: drbd,
      mode: "all",
      nodes: three,
      reason: "Can't find any good nodes for relocation: no nodes available",
    },
    {
      instance: { ...drbd, memoryMib: 31744 },
      mode: "secondary-only",
      nodes: three,
      reason: "Can't find any good node:  Node n2 failed: FailMem;",
    },
  ] as const)(
    "$mode of $instance.diskTemplate is refused: $reason",
    ({ instance, mode, nodes, reason }) => {
      const [moved, failed, jobs] = evacuate(instance, mode, [...nodes]) as unknown[][];
      expect({ moved, failed, jobs }).toEqual({
        moved: [],
        failed: [[instance.name, reason]],
        jobs: [],
      });
    },
  );
});

describe("relocating", () => {
  const relocate = (instance: InstanceData, from: number[], requiredNodes = 1) =>
    ask({ type: "relocate", instanceIndex: 0, requiredNodes, relocateFrom: from }, [instance]);

  test("gives the new node alone", () => {
    const relocated = { success: true, info: "Request successful: success", result: ["n2"] };
    expect(relocate(drbd, [1])).toEqual(relocated);
    expect(relocate(ext, [0])).toEqual(relocated);
  });

  test.each([
    {
      instance: drbd,
      from: [0],
      reason: "Unsupported request: excluded nodes not equal to instance's secondary(1 versus [0])",
    },
    {
      instance: ext,
      from: [1, 2],
      reason: "Unsupported request: excluded nodes not equal to instance's primary(0 versus [1,2])",
    },
    {
      instance: drbd,
      from: [1],
      requiredNodes: 2,
      reason: "Exchange 2 nodes mode is not implemented",
    },
    { instance: plain, from: [0], reason: "Can't relocate non-mirrored instances" },
  ])(
    "refuses $instance.diskTemplate from $from: $reason",
    ({ instance, from, requiredNodes, reason }) => {
      const refused = { success: false, info: `Request failed: ${reason}`, result: [] };
      expect(relocate(instance, from, requiredNodes)).toEqual(refused);
    },
  );
});

describe("changing group", () => {
  const groups = [vectorGroup, aGroup({ name: "other", uuid: "g2", policy: defaultPolicy })];
  const nodes = [
    ...three,
    ...["o0", "o1", "o2"].map((name) => vectorNode({ name, groupIndex: 1 })),
  ];
  const change = (instance: InstanceData, targetGroups: number[] = [], among = nodes) => {
    const cluster = loadCluster(vectorCluster(among, [instance], { groups }));
    const request = { type: "change-group", instanceIndices: [0], targetGroups } as const;
    return answerRequest(cluster, request, options).answer.result as [
      unknown[],
      string[][],
      unknown[],
    ];
  };

  test("goes to another group, pair or single", () => {
    expect(change(drbd)[0]).toEqual([["d", "other", ["o2", "o1"]]]);
    expect(change(ext, [1])[0]).toEqual([["e", "other", ["o2"]]]);
  });

  test("names and tags in that list are quoted as that language does it", () => {
    const tags = ["é 1", "a\tb\u0001", 'quoted "q"'];
    const cluster = loadCluster(
      vectorCluster(three, [drbd], { groups: [{ ...vectorGroup, tags }] }),
    );
    const request = { type: "change-group", instanceIndices: [0], targetGroups: [] } as const;
    const { result } = answerRequest(cluster, request, options).answer;
    const [, [[, reason = ""] = []]] = result as [unknown, string[][]];
    expect(reason).toContain(String.raw`allTags = ["\233 1","a\tb\SOH","quoted \"q\""]`);
  });

  test("what is tied to its node finds a group, but cannot move", () => {
    expect(change(plain)[1]).toEqual([["p", "Instances of type plain cannot be relocated"]]);
  });

  test("without another group the groups are listed as Ganeti's own language prints them", () => {
    const [, [[, reason] = []]] = change(drbd, [0]);
    expect(reason).toMatch(
      /^no groups for evacuation: allowed groups was Just \[\], all groups: \[Group \{name = "default", uuid = "g1", idx = 0, allocPolicy = AllocPreferred, networks = \[\], iPolicy = IPolicy \{iPolicyMinMaxISpecs = \[MinMaxISpecs \{minMaxISpecsMinSpec = ISpec \{iSpecMemorySize = 128, /,
    );
    expect(reason).toMatch(
      /iPolicyVcpuRatio = 4\.0, iPolicySpindleRatio = 32\.0\}, allTags = \[\]\},Group \{name = "other"/,
    );
  });
});

test("a secondary is added to an instance without one, and to no other", () => {
  const add = (instance: InstanceData) =>
    ask({ type: "allocate-secondary", instanceIndex: 0 }, [instance]);
  expect(add(plain)).toMatchObject({ success: true, result: "n2" });
  expect(add(drbd)).toEqual({
    success: false,
    info: "Request failed: Instance already has a secondary",
    result: [],
  });
});
