// Every suggestion is applied and asked again: it must help, and help no more with one unit less.
import type { AllocationChange, NodeData, Suggestion } from "@ganeti-ts/protocol";
import {
  aCluster,
  aGroup,
  aNode,
  anInstance,
  aPolicy,
  aSpec,
  isThorough,
  messageOfShape,
  messages,
  type RequestType,
  requestTypes,
} from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  answerRequest,
  applyChange,
  explainRequest,
  loadCluster,
  oneLess,
  type Question,
} from "../src/index.js";

/** Whether the instance finds a place, and those that found one still do. */
function placed(question: Question, instance: string, failuresBefore: number): boolean {
  const { cluster, request, options } = question;
  const { answer } = answerRequest(loadCluster(cluster), request, options);
  if (!answer.success) return false;
  const failed = failures(request.type, answer.result);
  return !failed.includes(instance) && (failuresBefore === 0 || failed.length < failuresBefore);
}

function failures(type: string, result: unknown): string[] {
  if (type !== "multi-allocate" && type !== "node-evacuate" && type !== "change-group") return [];
  return (result as [unknown, [string, string][]])[1].map(([name]) => name);
}

const seen: Record<string, number> = {};
const count = (what: string) => {
  seen[what] = (seen[what] ?? 0) + 1;
};

const kindOf = (change: AllocationChange): string => {
  const sign = "by" in change ? (change.by < 0 ? " less" : " more") : "";
  if ("option" in change) return change.option;
  return "resource" in change ? `${change.kind} ${change.resource}${sign}` : change.kind;
};

function check(question: Question, instance: string, before: number, { changes }: Suggestion) {
  const applied = (made: readonly AllocationChange[]) => made.reduce(applyChange, question);
  expect(placed(applied(changes), instance, before)).toBe(true);
  changes.forEach((change, at) => {
    count(changes.length === 1 ? kindOf(change) : "together");
    const less = oneLess(change);
    if (less !== undefined) {
      count("one less");
      expect(placed(applied(changes.with(at, less)), instance, before)).toBe(false);
    } else if (changes.length > 1) {
      const others = changes.filter((one) => one !== change);
      expect(placed(applied(others), instance, before)).toBe(false);
    }
  });
}

type Sizes = readonly [seed: number, groups: number, nodes: number, instances: number];

/** Small clusters, each with a kind of change that is rarely suggested. */
const rare: Readonly<Partial<Record<RequestType, readonly Sizes[]>>> = {
  allocate: [
    [1874996473, 2, 6, 1],
    [1365391997, 1, 2, 0],
    [23, 2, 1, 0],
    [2147483625, 1, 2, 1],
    [9, 1, 3, 0],
    [1759603951, 2, 5, 0],
    [566136884, 1, 6, 3],
    [2126662798, 1, 2, 3],
  ],
  "multi-allocate": [
    [1146482036, 2, 2, 0],
    [26, 1, 2, 0],
    [28, 1, 1, 3],
    [1419432210, 1, 4, 1],
  ],
  "allocate-secondary": [
    [123601128, 3, 5, 3],
    [297570725, 1, 6, 12],
    [1626370425, 1, 6, 1],
    [2079254161, 1, 4, 2],
  ],
  relocate: [[1423054826, 1, 2, 2]],
  "change-group": [[1678804952, 3, 6, 1]],
};

const rareMessages = (type: RequestType) =>
  (rare[type] ?? []).map(([seed, groupCount, nodeCount, instanceCount]) => {
    const shape = { seed, groupCount, nodeCount, instanceCount };
    return [{ shape, ...messageOfShape(shape, type) }] as const;
  });

describe.each(requestTypes)("suggestions for %s", (type: RequestType) => {
  test("help, and not with one unit less", () => {
    fc.assert(
      fc.property(messages(type), ({ message, switches: options }) => {
        const { cluster, request } = message;
        const question = { cluster, request, options };
        const loaded = loadCluster(cluster);
        const { answer } = answerRequest(loaded, request, options);
        const before = answer.success ? failures(request.type, answer.result).length : 0;
        const { instances } = explainRequest(loaded, request, options);
        for (const { instance, to, suggestions } of instances) {
          if (to.length > 0) expect(suggestions).toEqual([]);
          else count(suggestions.length > 0 ? `${type} helped` : `${type} not helped`);
          for (const suggestion of suggestions) check(question, instance, before, suggestion);
        }
      }),
      { numRuns: isThorough ? 1000 : 80, seed: 1, examples: rareMessages(type) },
    );
  });
});

test("every kind of change was suggested, the frequent ones often", () => {
  const often = [
    "together",
    "one less",
    "add-nodes",
    "no-capacity-checks",
    "ignore-soft-errors",
    "set-group-policy",
    "set-evacuation-mode",
    "extend-node spindles more",
    "extend-node memory more",
    "resize disks less",
    "resize spindles less",
    "resize memory less",
    "remove-tag",
  ];
  const atTimes = [
    "resize memory more",
    "resize disk less",
    "resize disk more",
    "resize vcpus less",
    "resize vcpus more",
    "resize spindles more",
    "resize spindle-use less",
    "resize disks more",
    "extend-node cpus more",
    "return-node",
    "remove-node-tag",
    "connect-group",
    "allow-template",
    "drop-group-name",
    "drop-node-restriction",
    "allow-node",
    "set-required-nodes",
    "set-relocate-from",
    ...requestTypes.flatMap((type) => [`${type} helped`, `${type} not helped`]),
  ];
  expect(often.filter((kind) => !((seen[kind] ?? 0) >= (isThorough ? 15 : 2)))).toEqual([]);
  expect(atTimes.filter((kind) => seen[kind] === undefined)).toEqual([]);
});

describe("what is suggested", () => {
  const drbd = anInstance({ name: "new", memoryMib: 4096, tags: ["service:web"] });
  const request = {
    type: "allocate",
    instance: drbd,
    requiredNodes: 2,
    groupName: undefined,
    restrictToNodes: undefined,
  } as const;
  const plain = { ...request, requiredNodes: 1 };
  const small = (change: Partial<NodeData>) => [aNode(change), aNode({ name: "node2" })];

  test.each<{ why: string; question: Omit<Question, "options">; texts: string[] }>([
    {
      why: "memory, in the instance or on the node that lacks it",
      question: {
        cluster: aCluster({ nodes: small({ memoryTotalMib: 5000, memoryFreeMib: 3976 }) }),
        request,
      },
      texts: ["121 MiB less memory for new", "121 MiB more memory on node1"],
    },
    {
      why: "disk",
      question: {
        cluster: aCluster({ nodes: small({ diskTotalMib: 20000, diskFreeMib: 10000 }) }),
        request,
      },
      texts: ["369 MiB less disk for new", "369 MiB more disk on node1"],
    },
    {
      why: "a spindle, where storage is exclusive",
      question: {
        cluster: aCluster({
          nodes: [aNode({ exclusiveStorage: true, spindleTotal: 4, spindleFree: 1 })],
        }),
        request: {
          ...plain,
          instance: { ...drbd, diskTemplate: "plain", disks: [{ sizeMib: 10240, spindles: 2 }] },
        },
      },
      texts: ["1 fewer spindle for new", "1 more spindle on node1"],
    },
    {
      why: "spindle use, within a policy that wants more of it",
      question: {
        cluster: aCluster({
          groups: [
            aGroup({
              policy: aPolicy({
                minMax: [
                  {
                    min: aSpec({ spindleUse: 3 }),
                    max: aSpec({ memoryMib: 8192, diskMib: 99999, spindleUse: 4 }),
                  },
                ],
              }),
            }),
          ],
        }),
        request,
      },
      texts: ["2 more spindle uses for new"],
    },
    {
      why: "the exclusion tag that is everywhere",
      question: {
        cluster: aCluster({
          tags: ["htools:iextags:service"],
          nodes: small({}),
          instances: [0, 1].map((primary) =>
            anInstance({
              name: `web${primary}`,
              tags: ["service:web"],
              diskTemplate: "ext",
              primary,
            }),
          ),
        }),
        request,
      },
      texts: ["without exclusion tag service:web", "with --ignore-soft-errors"],
    },
    {
      why: "the restriction to groups that are too few",
      question: {
        cluster: aCluster({
          groups: ["from", "closed", "open"].map((name) =>
            aGroup({
              name,
              uuid: name,
              allocationPolicy: name === "closed" ? "unallocable" : "preferred",
            }),
          ),
          nodes: [0, 1, 2].map((groupIndex) => aNode({ name: `node${groupIndex}`, groupIndex })),
          instances: [anInstance({ name: "ext1", diskTemplate: "ext", primary: 0 })],
        }),
        request: { type: "change-group", instanceIndices: [0], targetGroups: [1] },
      },
      texts: ["without target_groups", "with group closed last_resort instead of unallocable"],
    },
  ])("$why", ({ question, texts }) => {
    const options = { ignoreSoftErrors: false, capacityChecks: false };
    const { cluster } = question;
    const { instances } = explainRequest(loadCluster(cluster), question.request, options);
    const [{ instance, suggestions } = { instance: "", suggestions: [] }] = instances;
    expect(suggestions.map(({ text }) => text)).toEqual(expect.arrayContaining(texts));
    const answered = answerRequest(loadCluster(cluster), question.request, options).answer;
    const before = answered.success ? 1 : 0;
    for (const one of suggestions) check({ ...question, options }, instance, before, one);
  });
});
