import type { AllocatorRunner, WantedInstance } from "@ganeti-ts/allocators";
import { Allocators } from "@ganeti-ts/allocators";
import { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { testCluster } from "./support/cluster.js";
import { adding, aMirroredDisk, anInstance } from "./support/instances.js";

const wanted: WantedInstance = {
  name: "new.example.com",
  memoryMib: 512,
  vcpus: 1,
  spindleUse: 1,
  diskTemplate: "drbd",
  disks: [{ sizeMib: 1024 }],
  nics: [{}],
  os: "noop+default",
  hypervisor: "kvm",
  tags: [],
};

/** Fake programs by name, with their output or error. */
const programs = (said: Readonly<Record<string, string | Error>>): AllocatorRunner => ({
  find: async (name) => (name in said ? `/x/${name}` : undefined),
  async run(path) {
    const answer = said[path.slice(3)];
    return typeof answer === "string"
      ? { ok: true, stdout: answer }
      : { ok: false, reason: "exited with exit code 1", output: answer?.message ?? "" };
  },
});

const places = (...nodes: number[]) =>
  JSON.stringify({
    success: true,
    info: "fine",
    result: nodes.map((number) => `node${number}.example.com`),
  });
const refusal = JSON.stringify({ success: false, info: "no room", result: [] });

async function stage(said: Parameters<typeof programs>[0] = {}, lists = {}) {
  const clock = new VirtualClock();
  const hosts = [1, 2, 3].map((at) => ({ name: `node${at}.example.com`, memoryTotalMib: 8192 }));
  const nodes = await SimulatedNodes.open({ clock, hosts });
  const cluster = await testCluster(nodes, { nodeCount: 3, cluster: lists });
  for (const { uuid, name, primary_ip } of cluster.config.snapshot.nodes()) {
    await nodes.introduce({ uuid, name, primaryIp: primary_ip, secondaryIp: primary_ip });
  }
  const allocators = new Allocators({ nodes, runner: programs(said) });
  const { signal } = new AbortController();
  const asking = (iallocator?: string) => ({
    now: cluster.config.snapshot,
    caller: { lease: "1:1", signal },
    iallocator,
  });
  return { ...cluster, simulated: nodes, allocators, asking };
}

const refused = (code: string, message: string) => ({ code, message });

describe("choice of the allocator", () => {
  test("hail is built in, and an installed program of that name takes precedence", async () => {
    const built = await stage();
    expect(await built.allocators.allocate(built.asking("hail"), wanted)).toMatchObject({
      allocator: "hail",
      nodes: ["node3.example.com", "node2.example.com"],
      info: expect.stringContaining("Request successful"),
    });
    const program = await stage({ hail: places(1, 2) });
    expect(await program.allocators.allocate(program.asking("hail"), wanted)).toMatchObject({
      nodes: ["node1.example.com", "node2.example.com"],
      info: "fine",
    });
  });

  test("default allocators are tried in order until one has a solution", async () => {
    const { allocators, asking } = await stage(
      { crashes: new Error("oops"), talks: "hello", refuses: refusal, works: places(3, 1) },
      { default_iallocators: { allocate: ["crashes", "talks", "refuses", "missing", "works"] } },
    );
    for (const named of [undefined, "."]) {
      expect(await allocators.allocate(asking(named), wanted)).toMatchObject({
        allocator: "works",
        nodes: ["node3.example.com", "node1.example.com"],
      });
    }
  });

  test("if no default allocator has a solution, the error contains all messages", async () => {
    const { allocators, asking } = await stage(
      { crashes: new Error("oops"), refuses: refusal, short: places(1) },
      { default_iallocators: { allocate: ["crashes", "refuses", "short", "missing"] } },
    );
    await expect(allocators.allocate(asking(), wanted)).rejects.toMatchObject(
      refused(
        "insufficient_resources",
        "Can't compute nodes using iallocators" +
          " 'crashes': Failure while running the iallocator script: iallocator module 'crashes' failed: exited with exit code 1, output 'oops';" +
          " 'refuses': no room;" +
          " 'short': iallocator 'short' returned invalid number of nodes (1), required 2;" +
          " 'missing': Failure while running the iallocator script: iallocator module 'missing' not found in the search path",
      ),
    );
  });

  test("only a named allocator gets the request", async () => {
    const { allocators, asking } = await stage(
      { refuses: refusal, works: places(1, 2) },
      { default_iallocators: { allocate: ["works"] } },
    );
    await expect(allocators.allocate(asking("refuses"), wanted)).rejects.toMatchObject(
      refused("insufficient_resources", "Can't compute nodes using iallocator 'refuses': no room"),
    );
  });

  test("the single default serves every request, and without one the request is refused", async () => {
    const { allocators, asking } = await stage({ a: refusal }, { default_iallocator: "a,hail" });
    expect(await allocators.allocate(asking(), wanted)).toMatchObject({ allocator: "hail" });
    const none = await stage({}, { default_iallocator: "" });
    await expect(none.allocators.allocate(none.asking(), wanted)).rejects.toMatchObject({
      code: "wrong_input",
      message: expect.stringContaining("No iallocator or node given"),
    });
  });
});

describe("invalid allocator answers", () => {
  test.each([
    ["nothing", "Can't parse iallocator results: Unexpected"],
    ["[1]", "Can't parse iallocator results: not a dict"],
    ['{"info": "x", "result": []}', "Can't parse iallocator results: missing key 'success'"],
    ['{"success": true, "result": []}', "Can't parse iallocator results: missing key 'info'"],
    ['{"success": true, "info": "x"}', "Can't parse iallocator results: missing key 'result'"],
  ])("%s", async (text, message) => {
    const { allocators, asking } = await stage({ a: text });
    const error = await allocators.allocate(asking("a"), wanted).catch((thrown) => thrown);
    expect(error.kind ?? error.constructor.name).toMatch(/ExecError/);
    expect(error.message).toContain(message);
  });

  test("an answer with the wrong number of nodes is refused", async () => {
    const { allocators, asking } = await stage({ a: places(1, 2, 3) });
    await expect(allocators.allocate(asking("a"), wanted)).rejects.toMatchObject(
      refused(
        "environment_error",
        "iallocator 'a' returned invalid number of nodes (3), required 2",
      ),
    );
  });

  test("`nodes` is taken for `result`, as old allocators call it", async () => {
    const text = JSON.stringify({
      success: true,
      info: "",
      nodes: ["node1.example.com", "node2.example.com"],
    });
    const { allocators, asking } = await stage({ a: text });
    expect((await allocators.allocate(asking("a"), wanted)).nodes).toHaveLength(2);
  });

  test("an answer other than a list of nodes is refused", async () => {
    const { allocators, asking } = await stage({
      a: '{"success": true, "info": "", "result": [1, 2]}',
    });
    await expect(allocators.allocate(asking("a"), wanted)).rejects.toMatchObject({
      message: expect.stringContaining("iallocator returned invalid result"),
    });
  });
});

test("a program that does not know reservations cannot use reserved resources", async () => {
  const { allocators, asking, put, nodes } = await stage({ a: places(1, 2) });
  const [node] = nodes;
  await put({
    kind: "put",
    type: "instance",
    object: {
      uuid: anInstance(5, { primary_node: node as never }).uuid,
      forthcoming: true,
      primary_node: node,
      nics: [],
      disks: [],
      tags: [],
      beparams: { maxmem: 7000, minmem: 7000 },
    },
  } as never);
  await expect(allocators.allocate(asking("a"), wanted)).rejects.toMatchObject({
    message:
      "Can't compute nodes using iallocator 'a': Not enough memory on node node1.example.com for creating instance new.example.com: needed 512 MiB, available 168 MiB",
  });
});

test("a node that does not answer fails the request, and an offline one is skipped", async () => {
  const { allocators, asking, simulated, nodes, put, config } = await stage();
  const uuid = nodes[0] as (typeof nodes)[number];
  await simulated.powerOff(uuid);
  await expect(allocators.allocate(asking("hail"), wanted)).rejects.toThrow(
    "Can't get data for node node1.example.com: Error 7: Failed to connect to node1.example.com port 1811: Connection refused",
  );
  const object = { ...config.snapshot.expectNode(uuid), offline: true, master_candidate: false };
  await put({ kind: "put", type: "node", object });
  expect((await allocators.allocate(asking("hail"), wanted)).nodes).not.toContain(
    "node1.example.com",
  );
});

test("nodes that are not eligible are not called", async () => {
  const { allocators, asking } = await stage();
  const onlyNodes = ["node1.example.com", "node2.example.com"];
  const { nodes } = await allocators.allocate(asking("hail"), wanted, { onlyNodes });
  expect([...nodes].sort()).toEqual(onlyNodes);
});

describe("allocator requests for existing instances", () => {
  async function withInstance() {
    const staged = await stage();
    const [a, b, c] = staged.nodes;
    if (a === undefined || b === undefined || c === undefined) throw new Error("no nodes");
    const instance = anInstance(1, { primary_node: a });
    await staged.put(...adding(instance, [aMirroredDisk(10, [a, b])]));
    return { ...staged, uuid: instance.uuid };
  }

  test("an allocator chooses a new secondary", async () => {
    const { allocators, asking, uuid } = await withInstance();
    expect((await allocators.relocate(asking("hail"), uuid)).nodes).toEqual(["node3.example.com"]);
  });

  test("an allocator's evacuation becomes jobs", async () => {
    const { allocators, asking } = await withInstance();
    const found = await allocators.nodeEvacuate(
      asking("hail"),
      ["inst1.example.com"],
      "secondary-only",
    );
    expect(found.moved).toEqual([
      {
        name: "inst1.example.com",
        group: "default",
        nodes: ["node1.example.com", "node3.example.com"],
      },
    ]);
    expect(found.jobs[0]?.[0]).toMatchObject({
      OP_ID: "OP_INSTANCE_REPLACE_DISKS",
      remote_node: "node3.example.com",
    });
  });

  test("an allocator balances groups and counts free capacity", async () => {
    const { allocators, asking } = await withInstance();
    const balance = await allocators.balance(asking("hail"), "default", -1);
    expect(balance.jobs.length).toBe(balance.moved.length);
    expect(balance.figures).toHaveProperty("initial_score");
    const capacity = await allocators.capacity(asking("hail"), wanted, { countMax: 2 });
    expect(capacity).toMatchObject({ count: 2, figures: { stop: "limit" } });
    expect(capacity.placed.map(({ name }) => name)).toEqual([
      "new.example.com-0",
      "new.example.com-1",
    ]);
  });

  test("instances placed in one request count against each other", async () => {
    const { allocators, asking } = await withInstance();
    const other = { ...wanted, name: "other.example.com", diskTemplate: "plain" };
    const found = await allocators.multiAllocate(asking("hail"), [wanted, other]);
    expect(found.placed.map(({ name, nodes }) => [name, nodes.length])).toEqual([
      ["new.example.com", 2],
      ["other.example.com", 1],
    ]);
    expect(found.failed).toEqual([]);
  });

  test("instances that cannot be placed are reported with the reason, if there is one", async () => {
    const result = [[["a", ["node1.example.com"]]], [["b", "no room"], "c"]];
    const { allocators, asking } = await stage({
      a: JSON.stringify({ success: true, info: "", result }),
    });
    expect((await allocators.multiAllocate(asking("a"), [wanted])).failed).toEqual([
      { name: "b", reason: "no room" },
      { name: "c", reason: null },
    ]);
  });
});

test("balance and capacity use the built-in allocator even if Ganeti's hail is installed", async () => {
  const theirs = JSON.stringify({
    success: false,
    info: "Invalid request type 'balance'",
    result: [],
  });
  const { allocators, asking } = await stage(
    { hail: theirs, other: theirs },
    { default_iallocator: "other" },
  );
  for (const name of ["hail", undefined]) {
    expect((await allocators.balance(asking(name), "default", -1)).allocator).toBe("hail");
    expect((await allocators.capacity(asking(name), wanted, { countMax: 2 })).count).toBe(2);
  }
  await expect(allocators.balance(asking("other"), "default", -1)).rejects.toMatchObject({
    message: expect.stringContaining("using iallocator 'other'"),
  });
  const declared = await stage({ other: theirs }, { default_iallocators: { balance: ["other"] } });
  await expect(declared.allocators.balance(declared.asking(), "default", -1)).rejects.toMatchObject(
    { message: expect.stringContaining("using iallocator 'other'") },
  );
});

test.each([
  { mond: "yes", outcome: "placed" },
  { mond: "no", outcome: "placed" },
  { mond: null, outcome: "placed" },
  { mond: "often", outcome: "Invalid value for option --mond: 'often'" },
])(
  "the built-in takes the parameter mond=$mond as hail does: $outcome",
  async ({ mond, outcome }) => {
    const { allocators, asking } = await stage({}, { default_iallocator_params: { mond } });
    const placed = allocators.allocate(asking("hail"), wanted);
    if (outcome === "placed") expect((await placed).nodes).toHaveLength(2);
    else await expect(placed).rejects.toThrow(outcome);
  },
);

test("allocator parameters of the cluster are passed to hail as options", async () => {
  const { allocators, asking } = await stage(
    {},
    {
      default_iallocator_params: {
        "restrict-allocation-to": "node1.example.com,node2.example.com",
      },
    },
  );
  const { nodes } = await allocators.allocate(asking("hail"), wanted);
  expect([...nodes].sort()).toEqual(["node1.example.com", "node2.example.com"]);
  const wrong = await stage({}, { default_iallocator_params: { nonsense: "1" } });
  await expect(wrong.allocators.allocate(wrong.asking("hail"), wanted)).rejects.toThrow(
    "unrecognized option `--nonsense'",
  );
});

test("a test request returns a program's message and its raw answer", async () => {
  const { allocators, asking } = await stage({ a: "whatever" });
  const request = { type: "node-evacuate", instances: [], evac_mode: "all" } as const;
  expect(JSON.parse(await allocators.message(asking("a"), request))).toMatchObject({
    version: 2,
    request: { type: "node-evacuate" },
  });
  expect(await allocators.rawAnswer(asking("a"), request)).toBe("whatever");
  expect(await allocators.rawAnswer(asking("hail"), request)).toContain('"success":true');
  expect(await allocators.exists("hail")).toBe(true);
  expect(await allocators.exists("b")).toBe(false);
});
