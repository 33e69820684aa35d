// `capacity` places what allocating one instance after the other places. Seen to fail with every
// instance placed on the initial state, and with one instance too many or too few.
import type { AllocatorRequest } from "@ganeti-ts/protocol";
import { CapacityAnswer } from "@ganeti-ts/protocol";
import { messages, randomRuns } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  answerInParts,
  answerRequest,
  KeptCluster,
  loadCluster,
  simulateCluster,
} from "../src/index.js";

type Allocation = Extract<AllocatorRequest, { type: "allocate" }>;
type Places = [count: number, places: [string, string[]][], { stop: string }];

const asCapacity = (request: Allocation, countMax: number) => ({
  ...request,
  type: "capacity" as const,
  countMax,
});

test("as many find a place as can be allocated one after the other, and on the same nodes", () => {
  const seen = { none: 0, some: 0, limit: 0, named: 0, refused: 0 };
  const property = fc.property(
    messages("allocate", { zeroSizes: false }),
    ({ message, switches }) => {
      const { cluster: data, request } = message;
      if (request.type !== "allocate") return;
      const cluster = loadCluster(data);
      const free = { ...request, restrictToNodes: undefined };
      const options = { ...switches, restrictTo: undefined };
      const most = 6;
      const { answer, dedicated } = answerRequest(cluster, asCapacity(free, most), options);
      if (!answer.success) {
        seen.refused++;
        return;
      }
      expect(CapacityAnswer.safeParse(JSON.parse(JSON.stringify(answer))).success).toBe(true);
      const [count, places, { stop }] = answer.result as Places;
      expect(places.length).toBe(count);
      seen[count === most ? "limit" : count > 0 ? "some" : "none"]++;
      if (count === most) expect(stop).toBe("limit");
      // The first is on the nodes that `allocate` chooses; dedicated clusters are always searched again.
      const first = answerRequest(cluster, free, options).answer;
      expect(first.success).toBe(count > 0);
      if (count > 0) expect(first.result).toEqual(places[0]?.[1]);
      if (dedicated) return;
      // Each is on the nodes that a search finds on the cluster as the one before it leaves it.
      let after = cluster;
      for (const [name, nodes] of places) {
        const instance = { ...free.instance, name };
        const next = answerRequest(after, { ...free, instance }, options);
        expect(next.answer.result).toEqual(nodes);
        ({ after } = next);
      }
      // Several at once go on from one to the next, too.
      const wanted = (number: number) =>
        Array.from({ length: number }, (_, i) => ({
          instance: { ...free.instance, name: `${free.instance.name}-${i}` },
          requiredNodes: free.requiredNodes,
        }));
      const several = (number: number) =>
        answerRequest(
          cluster,
          { type: "multi-allocate", wanted: wanted(number), groupName: free.groupName },
          options,
        ).answer;
      const placed = (number: number) => several(number).result as [unknown[], unknown[]];
      if (count > 0) expect(placed(count)[0]).toEqual(places);
      if (count === most) return;
      if (free.groupName === undefined) expect(several(count + 1).success).toBe(false);
      else {
        seen.named++;
        const next = several(count + 1);
        if (next.success) expect((next.result as [unknown[], unknown[]])[1]).toHaveLength(1);
      }
    },
  );
  fc.assert(property, { numRuns: randomRuns(400) });
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(3);
});

const instance = {
  name: "spec",
  memoryMib: 2048,
  diskMib: 20608,
  disks: [{ sizeMib: 20480, spindles: undefined }],
  vcpus: 2,
  spindleUse: 1,
  diskTemplate: "drbd",
  status: "running",
  autoBalance: true,
  forthcoming: false,
  tags: [],
  networks: [],
  primary: -1,
  secondary: -1,
} as const;
const request = {
  type: "capacity",
  instance,
  requiredNodes: 2,
  groupName: undefined,
  restrictToNodes: undefined,
  countMax: -1,
} as const;
const options = { ignoreSoftErrors: false, capacityChecks: true };
const asked = (change: object) =>
  answerRequest(loadCluster(simulateCluster(["p,2,100g,8g,2"])), { ...request, ...change }, options)
    .answer;

test("the answer to a capacity request names the reasons for its end, with counts", () => {
  const { info, result } = asked({});
  expect(info).toBe("Request successful: 3 instances can be allocated, stopped by FailMem: 2");
  const [count, places] = result as Places;
  expect(count).toBe(3);
  expect(places.map(([name]) => name)).toEqual(["spec-0", "spec-1", "spec-2"]);
});

test.each([
  [{ countMax: 1 }, "1 instances can be allocated, stopped by limit"],
  [{ countMax: 0 }, "0 instances can be allocated, stopped by limit"],
  [{ groupName: "group-01", countMax: 1 }, "1 instances can be allocated, stopped by limit"],
])("%j ends it sooner", (change, info) => {
  expect(asked(change).info).toBe(`Request successful: ${info}`);
});

test.each([
  [{ groupName: "nowhere" }, "Wrong number of elems found with name nowhere"],
  [{ requiredNodes: 3 }, "Unsupported number of nodes, only one or two  supported"],
  [
    { instance: { ...instance, memoryMib: 0, diskMib: 0, vcpus: 0 } },
    "An instance that needs nothing fits without end; say how many to place at most",
  ],
])("%j is refused", (change, info) => {
  expect(asked(change)).toEqual({ success: false, info: `Request failed: ${info}`, result: [] });
});

test("a group with too few nodes is an answer of zero", () => {
  const { answer } = answerRequest(
    loadCluster(simulateCluster(["p,1,100g,8g,2"])),
    request,
    options,
  );
  const text = "Group group-01: error Not enough online nodes";
  expect(answer.info).toBe(`Request successful: 0 instances can be allocated, stopped by ${text}`);
});

test("a NaN score, as without spindles, is null in the answer to a capacity request", () => {
  const data = simulateCluster(["p,2,100g,8g,2"]);
  const nodes = data.nodes.map((node) => ({ ...node, spindleTotal: 0, spindleFree: 0 }));
  const { answer } = answerRequest(loadCluster({ ...data, nodes }), request, options);
  const scores = { initial_score: null, final_score: null };
  expect(answer.result).toEqual([0, [], { stop: "FailDisk: 2", ...scores }]);
});

test("a capacity request computed in parts pauses after each instance, and changes meanwhile do not affect it", () => {
  const kept = KeptCluster.of(simulateCluster(["p,4,100g,8g,2"]));
  const expected = answerRequest(kept.cluster, request, options).answer;
  const parts = answerInParts(kept.cluster, request, options);
  let pauses = 0;
  let later = kept;
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done) {
      expect(part.value.answer).toEqual(expected);
      break;
    }
    pauses++;
    const taken = { ...instance, name: `other${pauses}`, memoryMib: 512 };
    const added = [{ index: pauses - 1, data: { ...taken, primary: 0, secondary: 1 } }];
    later = later.withChange({ added });
  }
  expect(pauses).toBe((expected.result as Places)[0]);
  expect(pauses).toBeGreaterThan(3);
});
