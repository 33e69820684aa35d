// Complete outputs of `--explain`, in golden/.
import { Explanation } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { hailIn } from "./fake-ports.js";
import { wireGroup, wireInstance, wireMessage, wireNode } from "./message.js";

const storage = (free: number) => ({
  ndparams: { exclusive_storage: true, spindle_count: 12 },
  total_spindles: 12,
  free_spindles: free,
  total_disk: 80000 * free + 1000,
  free_disk: 80000 * free,
});
const drbd = (nodes: string[], change: object = {}) =>
  wireInstance({ nodes, disk_template: "drbd", ...change });
const request = (change: object) => ({ ...wireInstance(), name: "web", ...change });
const tagged = { tags: ["service:web"] };

const scenarios = {
  "a pair is placed": wireMessage({
    nodes: {
      node1: wireNode({ free_memory: 29696, free_disk: 1003520 }),
      node2: wireNode({ free_memory: 30720, free_disk: 1003520 }),
      node3: wireNode(),
      node4: wireNode({ drained: true }),
      node5: wireNode({ total_memory: 1536, free_memory: 512 }),
    },
    instances: {
      db: drbd(["node1", "node2"], { tags: ["service:sql"] }),
      cache: drbd(["node2", "node1"]),
      mail: wireInstance({ nodes: ["node1"] }),
    },
    cluster_tags: ["htools:iextags:service:"],
    request: request({
      type: "allocate",
      required_nodes: 2,
      disk_template: "drbd",
      tags: ["service:sql"],
    }),
  }),
  "no place is found": wireMessage({
    nodegroups: {
      g1: wireGroup(),
      g2: wireGroup({ name: "far", alloc_policy: "unallocable" }),
    },
    nodes: {
      node1: wireNode({ total_memory: 5024, free_memory: 4000 }),
      node2: wireNode({ total_memory: 4024, free_memory: 3000 }),
      far1: wireNode({ group: "g2" }),
    },
    request: request({ type: "allocate", required_nodes: 1, memory: 8192 }),
  }),
  "a dedicated node is chosen": wireMessage({
    nodes: {
      node1: wireNode(storage(12)),
      node2: wireNode(storage(6)),
      node3: wireNode(storage(0)),
    },
    request: request({
      type: "allocate",
      required_nodes: 1,
      disk_template: "plain",
      disks: [{ size: 10240, spindles: 2 }],
    }),
  }),
  "an instance is moved away, another cannot be": wireMessage({
    instances: {
      db: drbd(["node1", "node2"]),
      log: wireInstance({ nodes: ["node1"], disk_template: "plain" }),
    },
    request: { type: "node-evacuate", instances: ["db", "log"], evac_mode: "all" },
  }),
  "a node could not be emptied": wireMessage({
    nodes: {
      node1: wireNode({ free_memory: 7168, free_disk: 1013760 }),
      node2: wireNode({ free_memory: 11264, free_disk: 1013760 }),
      node3: wireNode({ free_memory: 23552, free_disk: 1013760 }),
    },
    instances: {
      big: wireInstance({ nodes: ["node1"], memory: 24576, disk_template: "plain" }),
      alone: wireInstance({ nodes: ["node2"], memory: 20480, disk_template: "plain" }),
      app: wireInstance({ nodes: ["node3"], memory: 8192, disk_template: "plain" }),
    },
    request: request({ type: "allocate", required_nodes: 2, disk_template: "drbd" }),
  }),
  "a tag is on every node": wireMessage({
    instances: { web1: drbd(["node1", "node2"], tagged), web2: drbd(["node2", "node1"], tagged) },
    cluster_tags: ["htools:iextags:service:"],
    request: request({ type: "allocate", required_nodes: 2, disk_template: "drbd", ...tagged }),
  }),
  "nodes are equal": wireMessage({
    nodes: Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => [`node${at}.example.com`, wireNode()]),
    ),
    request: request({ type: "allocate", required_nodes: 2, disk_template: "drbd" }),
  }),
  "a node is evacuated": wireMessage({
    nodes: {
      node1: wireNode({ drained: true }),
      node2: wireNode(),
      node3: wireNode({ free_memory: 12288 }),
      node4: wireNode({ free_memory: 20480 }),
    },
    instances: { db: drbd(["node1", "node2"]), app: wireInstance({ nodes: ["node1"] }) },
    request: { type: "node-evacuate", instances: ["db", "app"], evac_mode: "all" },
  }),
  "the better group wins": wireMessage({
    nodegroups: {
      g1: wireGroup(),
      g2: wireGroup({ name: "spare", alloc_policy: "last_resort" }),
    },
    nodes: {
      node1: wireNode({ free_memory: 12288 }),
      spare1: wireNode({ group: "g2" }),
      spare2: wireNode({ group: "g2" }),
    },
    request: request({ type: "allocate", required_nodes: 1, disk_template: "plain" }),
  }),
};

describe.each(Object.entries(scenarios))("%s", (title, message) => {
  const world = { stdin: JSON.stringify(message) };

  test("--explain prints the recorded text", async () => {
    const { exitCode, stdout, stderr } = await hailIn(world, "--explain", "-");
    expect(exitCode).toBe(0);
    expect(stdout).toBe((await hailIn(world, "-")).stdout);
    await expect(stderr).toMatchFileSnapshot(
      `golden/explain-${title.replaceAll(" ", "-").replace(",", "")}.txt`,
    );
  });

  test("--explain=json prints a document of the schema", async () => {
    const { stdout, stderr } = await hailIn(world, "--explain=json", "-");
    const [json = ""] = stderr.split("\n").slice(-2);
    const explanation = Explanation.parse(JSON.parse(json));
    const { success, info } = JSON.parse(stdout);
    expect(explanation).toMatchObject({ success, info });
  });
});

test("--explain works on a simulated cluster", async () => {
  const world = { stdin: JSON.stringify(wireMessage()) };
  const { stderr } = await hailIn(world, "--simulate=p,2,1t,512m,8", "--explain", "-");
  expect(stderr).toContain("web  ext, 1024 MiB memory");
  expect(stderr).toContain(
    "node-01-002  primary  FailMem          1  needs 1024 MiB, 512 MiB free",
  );
});

test("--explain uses colours on a terminal", async () => {
  const world = { stdin: JSON.stringify(scenarios["no place is found"]) };
  const plain = await hailIn(world, "--explain", "-");
  const change = { terminal: async () => ({ columns: 80, colour: true }) };
  const coloured = await hailIn({ ...world, change }, "--explain", "-");
  expect(coloured.stderr).toContain("\u001b[31mfinds no place");
  const codes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
  expect(coloured.stderr.replace(codes, "")).toBe(plain.stderr);
});

test("a fault in --explain changes neither the answer nor the exit code", async () => {
  const world = { stdin: JSON.stringify(scenarios["a pair is placed"]) };
  const change = { terminal: () => Promise.reject(new Error("no terminal")) };
  const { exitCode, stdout, stderr } = await hailIn({ ...world, change }, "--explain", "-");
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: (await hailIn(world, "-")).stdout });
  expect(stderr).toContain("internal error: Error: no terminal");
});

test("--explain accepts only the formats text and json", async () => {
  const { exitCode, stderr } = await hailIn({}, "--explain=xml", "-");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("Invalid choice 'xml', pass one of 'text' or 'json'");
});
