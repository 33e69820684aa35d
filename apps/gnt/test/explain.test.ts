import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { Explanation, scoreTerms } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { GanetiError } from "../src/errors.js";
import { program } from "../src/programs/gnt-instance.js";
import { fakeCluster } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const terms = Object.fromEntries(scoreTerms.map((term) => [term, 0]));
const score = (total: number) => ({ total, terms });
const candidate = (nodes: string[], total: number) => ({
  nodes,
  score: score(total),
  capacity: "passes",
});

const field = (candidates: Json[], refused: number) => ({
  scoreBefore: score(1),
  feasible: candidates.length,
  refused,
  refusedBy: refused > 0 ? { FailMem: refused } : {},
  nodes: [],
  candidates,
  refusals: [],
  omitted: { feasible: 0, refused: 0 },
});

const group = (name: string, more: JsonObject) => ({
  group: name,
  policy: "preferred",
  eligible: true,
  reason: null,
  leftOut: [],
  ...more,
});

const told = (instance: JsonObject): Json => ({
  request: "allocate",
  success: (instance.to as string[]).length > 0,
  info: "",
  metric: "score",
  ignoreSoftErrors: false,
  capacityChecks: true,
  instances: [
    {
      instance: "planned",
      needs: "2048 MiB memory, drbd",
      from: [],
      reason: null,
      choice: null,
      groups: [],
      suggestions: [],
      suggestionsComplete: true,
      ...instance,
    },
  ],
});

const placed = told({
  to: ["node1", "node2"],
  choice: {
    nodes: ["node1", "node2"],
    group: "default",
    score: score(1.5),
    runnerUp: null,
    tied: 1,
    ties: [],
    text: "node1/node2 is the best of 2.",
  },
  groups: [
    group("default", {
      field: field([candidate(["node1", "node2"], 1.5), candidate(["node2", "node1"], 1.75)], 4),
      leftOut: [{ node: "node4", reason: "offline" }],
    }),
    group("rack2", { reason: "unallocable", eligible: false }),
  ],
});

const refused = told({
  to: [],
  reason: "Group default (preferred): No valid allocation solutions",
  groups: [group("default", { field: field([], 6) })],
  suggestions: [
    {
      changes: [{ kind: "extend-node", node: "node1", resource: "memory", by: 512 }],
      text: "512 MiB more memory on node1",
    },
  ],
});

async function explained(line: string, answer: Json) {
  const asked: Json[] = [];
  const cluster = fakeCluster({
    call: async (method, path, { body } = {}) => {
      asked.push([method, path, body ?? null]);
      return path === "/2/os" ? ["debian+stable", "noop"] : answer;
    },
  });
  const { code, stdout, stderr } = await runLine(program, line, { cluster });
  return { code, stdout, stderr, asked, submitted: cluster.submitted };
}

test("an explanation has the place first, then the reason, then the alternatives", async () => {
  expect(Explanation.safeParse(placed).error).toBeUndefined();
  const line = "add --explain -t drbd -s 1g -m 2g -g default -o noop web1";
  const { code, stdout, asked, submitted } = await explained(line, placed);
  expect({ code, submitted }).toEqual({ code: 0, submitted: [] });
  expect(asked).toEqual([
    [
      ...["POST", "/ganeti-ts/1/explain"],
      {
        beparams: { memory: 2048 },
        disks: [{ size: 1024 }],
        disk_template: "drbd",
        nics: [{}],
        os_type: "noop",
        group_name: "default",
      },
    ],
    ["GET", "/2/os", null],
  ]);
  expect(stdout).toBe(
    [
      "Selected nodes for the instance: node1, node2",
      "Wanted: 2 GiB memory, drbd",
      "Why: node1/node2 is the best of 2.",
      "",
      "Group default (preferred)",
      "  2 possible, 4 refused (FailMem: 4)",
      "    Nodes                Score",
      "  * node1 and node2 1.50000000",
      "    node2 and node1 1.75000000",
      "  left out: node4 (offline)",
      "",
      "Group rack2 (preferred): unallocable",
      "",
    ].join("\n"),
  );
});

test.each([
  ["-o debian+stable", undefined],
  ["-o debian+other --force-variant", undefined],
  ["-o debian+other", "debian+other"],
  ["-o debain --force-variant", "debain"],
])("with %s the operating system is looked at as well", async (option, missing) => {
  const line = `add --explain -t drbd -s 1g ${option} web1`;
  const { code, stdout, stderr } = await explained(line, placed);
  expect(stdout).toMatch(/^Selected nodes for the instance: node1, node2\n/);
  const says = `The cluster does not offer the operating system '${missing}': unless it is a hidden one, the creation fails. It offers debian+stable, noop.\n`;
  expect([code, stderr]).toEqual(missing === undefined ? [0, ""] : [1, says]);
});

test("without a place the explanation suggests changes that would make one", async () => {
  expect(Explanation.safeParse(refused).error).toBeUndefined();
  const { code, stdout } = await explained("add --explain -t drbd -s 1g web1", refused);
  expect(code).toBe(1);
  expect(stdout).toBe(
    [
      "web1 finds no place: Group default (preferred): No valid allocation solutions",
      "Wanted: 2 GiB memory, drbd",
      "",
      "Group default (preferred)",
      "  0 possible, 6 refused (FailMem: 6)",
      "",
      "What would let it in:",
      "  512 MiB more memory on node1",
      "",
    ].join("\n"),
  );
});

test.each([
  ["-n node1", "The nodes are given (-n): there is no choice to explain"],
  ["--commit", "The nodes of a reservation are known: there is nothing to choose"],
])("with %s there is nothing to explain", async (option, text) => {
  const { stderr, asked } = await explained(`add --explain ${option} -t plain -s 1g web1`, null);
  expect(stderr).toContain(text);
  expect(asked).toEqual([]);
});

test("--explain is refused for a server of Ganeti", async () => {
  const cause = Object.assign(new Error("Not Found"), { status: 404 });
  const call = async () => {
    throw new GanetiError("GenericError", ["Not Found"], { cause });
  };
  const line = "add --explain -t plain -s 1g web1";
  const { stderr } = await runLine(program, line, { cluster: fakeCluster({ call }) });
  expect(stderr).toBe("This server does not explain where instances go.\n");
});
