/**
 * Creations without a place: the output has a line per cause, and with --explain a reason per node.
 */
import { Explanation, type Json, type JsonObject, Refusal, scoreTerms } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { GanetiError } from "../src/errors.js";
import { program } from "../src/programs/gnt-instance.js";
import { aTerminal } from "./a-terminal.js";
import { fakeCluster } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const refusal = (node: string, rule: string, check: string, words: string, more: JsonObject = {}) =>
  Refusal.parse({
    node,
    rule,
    check,
    role: null,
    soft: false,
    countingReservations: false,
    ...more,
    text: `${node}: ${rule}, ${words}`,
  });

const policy = (node: string) =>
  refusal(
    node,
    "FailDisk",
    "policy",
    "disk 12 MiB, policy of group default wants at least 1024 MiB",
    {
      resource: "disk",
      unit: "MiB",
      value: 12,
      limit: 1024,
    },
  );
const memory = (node: string, role: string, free: number) =>
  refusal(node, "FailMem", "memory", `needs 16384 MiB, ${free} MiB free`, {
    role,
    unit: "MiB",
    value: 16_384,
    limit: free,
  });
const disk = (node: string) =>
  refusal(node, "FailDisk", "disk", "needs 2097152 MiB, 512000 MiB free", {
    unit: "MiB",
    value: 2_097_152,
    limit: 512_000,
  });
const tag = (node: string) =>
  refusal(node, "FailTags", "exclusion-tags", "has service:web", { tags: ["service:web"] });
const stuck = (node: string) => refusal(node, "FailN1", "emptying", "could not be emptied");
const cpus = (node: string) =>
  refusal(node, "FailCPU", "vcpus", "4.5 vcpus per CPU, 4 allowed", { value: 4.5, limit: 4 });

type Nodes = Readonly<Record<string, readonly (Refusal | null)[]>>;

/** `[primary, secondary]` by node. */
function explanation(nodes: Nodes, pairs: readonly Refusal[] = []): Explanation {
  const terms = Object.fromEntries(scoreTerms.map((term) => [term, 0]));
  const field = {
    scoreBefore: { total: 0, terms },
    feasible: 0,
    refused: 6,
    refusedBy: {},
    candidates: [],
    nodes: Object.entries(nodes).map(([node, [primary = null, secondary = null]]) => ({
      node,
      primary: { refusal: primary, candidates: 1 },
      secondary: { refusal: secondary, candidates: 1 },
    })),
    refusals: pairs.map((one) => ({ nodes: ["node1", "node2"], refusal: one })),
    omitted: { feasible: 0, refused: 0 },
  };
  const group = { policy: "preferred", eligible: false, leftOut: [] };
  return Explanation.parse({
    request: "allocate",
    success: false,
    info: "",
    metric: "score",
    ignoreSoftErrors: false,
    capacityChecks: true,
    instances: [
      {
        instance: "planned",
        needs: "drbd, 16384 MiB memory, 140 MiB disk, 1 vcpu",
        from: [],
        to: [],
        reason: "no group takes it",
        choice: null,
        suggestionsComplete: true,
        suggestions: [
          {
            changes: [{ kind: "resize", instance: "planned", resource: "disk", by: 1012 }],
            text: "1012 MiB more disk for planned",
          },
        ],
        groups: [
          { ...group, group: "rack2", reason: "it has fewer than 2 online nodes" },
          { ...group, group: "default", reason: "every candidate is refused", field },
        ],
      },
    ],
  });
}

const error: Json = [
  "OpPrereqError",
  ["Can't compute nodes using iallocator 'hail': Request failed: FailDisk: 2", "no_resources"],
];
const failure =
  "Failure: prerequisites not met for this operation:\nerror type: no_resources, error details:\n" +
  "Can't compute nodes using iallocator 'hail': Request failed: FailDisk: 2\n";

const add = "add -t drbd -s 10 -o noop --no-name-check --no-ip-check web1";

function refusing(answer: Explanation) {
  const asked: string[] = [];
  const cluster = fakeCluster({
    jobOf: () => ({ error }),
    call: async (method, path) => {
      asked.push(`${method} ${path}`);
      return answer as Json;
    },
  });
  return { asked, cluster };
}

describe("creations without a place", () => {
  test.each<[string, Nodes, readonly Refusal[], string]>([
    [
      "a bound of the policy",
      { node1: [policy("node1")], node2: [policy("node2")] },
      [],
      "policy: disk is 12 MiB, group default wants at least 1 GiB",
    ],
    [
      "memory",
      {
        node1: [memory("node1", "primary", 1024), memory("node1", "secondary", 1024)],
        node2: [memory("node2", "primary", 15_872)],
      },
      [],
      "memory: 16 GiB needed, 15.5 GiB free on node2, the nearest of 2 nodes",
    ],
    [
      "disk of the only node",
      { node1: [disk("node1")] },
      [],
      "disk: 2 TiB needed, 500 GiB free on node1, the only node",
    ],
    [
      "an exclusion tag",
      Object.fromEntries(["n1", "n2", "n3", "n4", "n5"].map((one) => [one, [tag(one)]])),
      [],
      "exclusion tags: service:web already on n1, n2, n3 and 2 more",
    ],
    [
      "N+1",
      {},
      [stuck("node3"), stuck("node4")],
      "N+1: node3, node4 could not be emptied afterwards",
    ],
    [
      "vcpus",
      { node1: [cpus("node1")] },
      [],
      "vcpus: 4.5 vcpus per CPU, 4 allowed on node1, the only node",
    ],
  ])("names %s in words on a terminal", async (_, nodes, pairs, line) => {
    const { cluster, asked } = refusing(explanation(nodes, pairs));
    const { code, stderr } = await runLine(program, add, { cluster, terminal: aTerminal() });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `${failure}No place was found for web1:\n` +
        "  group rack2: it has fewer than 2 online nodes\n" +
        `  group default: ${line}\n` +
        "The same command with --explain shows the reason of every node and what would help.\n",
    );
    expect(asked).toEqual(["POST /ganeti-ts/1/explain"]);
  });

  test("each of several causes has a line", async () => {
    const nodes = {
      node1: [disk("node1")],
      node2: [memory("node2", "primary", 10)],
      node3: [disk("node3")],
    };
    const { cluster } = refusing(explanation(nodes));
    const { stderr } = await runLine(program, add, { cluster, terminal: aTerminal() });
    expect(stderr.match(/(?<=group default: )\w+/g)).toEqual(["disk", "memory"]);
  });

  test("a pipe gets Ganeti's output, and no explanation is requested", async () => {
    const { cluster, asked } = refusing(explanation({ node1: [policy("node1")] }));
    expect(await runLine(program, add, { cluster })).toEqual({
      code: 1,
      stdout: "",
      stderr: failure,
    });
    expect(asked).toEqual([]);
  });

  test("only the refusal is shown if the server does not explain", async () => {
    const call = async () => {
      throw new GanetiError("GenericError", ["Not Found"], { cause: { status: 404 } });
    };
    const cluster = fakeCluster({ jobOf: () => ({ error }), call });
    const { stderr } = await runLine(program, add, { cluster, terminal: aTerminal() });
    expect(stderr).toBe(failure);
  });

  test("a creation that fails for another reason requests no explanation", async () => {
    const cluster = fakeCluster({
      jobOf: () => ({ error: ["OpPrereqError", ["no", "wrong_input"]] }),
    });
    const { stderr } = await runLine(program, add, { cluster, terminal: aTerminal() });
    expect(stderr).toMatch(/:\nno\n$/);
  });
});

test("--explain names the instance, uses readable units and gives a reason per node", async () => {
  const nodes = {
    node1: [policy("node1"), policy("node1")],
    node2: [memory("node2", "primary", 1024), memory("node2", "secondary", 1024)],
  };
  const { cluster } = refusing(explanation(nodes));
  const { code, stdout } = await runLine(program, `${add} --explain`, { cluster });
  expect(code).toBe(1);
  expect(stdout).toBe(
    [
      "web1 finds no place: no group takes it",
      "Wanted: drbd, 16 GiB memory, 140 MiB disk, 1 vcpu",
      "",
      "Group rack2 (preferred): it has fewer than 2 online nodes",
      "",
      "Group default (preferred): every candidate is refused",
      "  0 possible, 6 refused",
      "    node1: disk 12 MiB, policy of group default wants at least 1 GiB",
      "    node2: as primary: needs 16 GiB, 1 GiB free; as secondary: needs 16 GiB, 1 GiB free",
      "",
      "What would let it in:",
      "  1012 MiB more disk for web1",
      "",
    ].join("\n"),
  );
});
