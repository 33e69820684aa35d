import { describe, expect, test } from "vitest";
import { adding, aMirroredDisk, anInstance } from "../../test/support/instances.js";
import { failed, refused } from "../../test/support/results.js";
import { simulatedCluster } from "../../test/support/simulated-cluster.js";

describe("test delays", () => {
  const op = { OP_ID: "OP_TEST_DELAY", duration: 0.01 };

  test("a delay runs on the named nodes, as often as requested", async () => {
    const { run } = await simulatedCluster();
    expect(await run({ ...op, on_nodes: ["node2"], repeat: 2 })).toEqual({
      status: "success",
      result: null,
      log: [" - INFO: Test delay iteration 0/1", " - INFO: Test delay iteration 1/1"],
    });
  });

  test("a delay fails with the name of the node that did not take part", async () => {
    const { run, simulated, nodes } = await simulatedCluster();
    simulated.fail({ kind: "refused", node: nodes[1] as string, call: "test_delay" });
    expect((await run({ ...op, on_nodes: ["node1", "node2"] })).result).toEqual(
      failed("Failure during rpc call to node node2.example.com: test_delay: refused"),
    );
    expect((await run({ ...op, on_master: false })).status).toBe("success");
  });

  test("a delay lasts as long as requested", async () => {
    const { run } = await simulatedCluster();
    expect((await run({ ...op, duration: 0 })).result).toEqual([
      "OpPrereqError",
      ["Duration must be greater than zero"],
    ]);
  });
});

describe("test allocator requests", () => {
  const allocation = {
    OP_ID: "OP_TEST_ALLOCATOR",
    mode: "allocate",
    name: "new.example.com",
    memory: 512,
    vcpus: 1,
    disk_template: "drbd",
    os: "noop",
    nics: [{}],
    disks: [{ size: 1024, mode: "rw" }],
  };
  const text = async (opcode: object) => {
    const { run } = await simulatedCluster();
    return String((await run(opcode as never)).result);
  };

  test("an allocator test returns the message or the answer", async () => {
    expect(JSON.parse(await text({ ...allocation, direction: "in" }))).toMatchObject({
      version: 2,
      request: { type: "allocate", required_nodes: 2, disk_space_total: 1152 },
    });
    const out = { ...allocation, direction: "out", iallocator: "hail" };
    expect(JSON.parse(await text(out))).toMatchObject({
      success: true,
      result: [expect.any(String), expect.any(String)],
    });
    const several = { ...out, mode: "multi-allocate", count: 2 };
    expect(JSON.parse(await text(several)).result[0]).toHaveLength(2);
  });

  test.each([
    {
      why: "nothing is the cluster's defaults",
      nic: {},
      asked: { mac: "auto", ip: null, mode: "bridged", link: "xen-br0", bridge: "xen-br0" },
    },
    {
      why: "a bridge is the link of a bridged NIC",
      nic: { mac: "aa:00:00:00:00:01", ip: "192.0.2.9", bridge: "br0" },
      asked: {
        mac: "aa:00:00:00:00:01",
        ip: "192.0.2.9",
        mode: "bridged",
        link: "br0",
        bridge: "br0",
      },
    },
    {
      why: "a routed NIC has no bridge",
      nic: { ip: "none", mode: "routed", link: "100" },
      asked: { mac: "auto", ip: null, mode: "routed", link: "100", bridge: null },
    },
    {
      why: "an address of the pool is not known yet, nor what the group says of the network",
      nic: { ip: "pool", network: "net1" },
      asked: { mac: "auto", ip: null, mode: null, link: null, bridge: null, network: "net1" },
    },
  ])("NICs are asked for by values, not by words: $why", async ({ nic, asked }) => {
    const { request } = JSON.parse(await text({ ...allocation, direction: "in", nics: [nic] }));
    expect(request.nics).toMatchObject([asked]);
  });

  test.each([
    { mode: "balance", group_name: "default" },
    { mode: "capacity", count: 2 },
    { mode: "capacity", count: 0 },
  ])("of %j, which only our allocator answers", async (more) => {
    const request = JSON.parse(await text({ ...allocation, ...more, direction: "in" })).request;
    const expected =
      more.mode === "balance"
        ? { type: "balance", max_moves: -1, group_name: expect.any(String) }
        : { type: "capacity", max_count: more.count || null, group_name: null, memory: 512 };
    expect(request).toMatchObject(expected);
    const out = { ...allocation, ...more, direction: "out", iallocator: "hail" };
    expect(JSON.parse(await text(out))).toMatchObject({ success: true });
  });

  test("an allocator test can be about an existing instance", async () => {
    const { run, put, nodes } = await simulatedCluster();
    const [a, b] = nodes as [never, never];
    await put(...adding(anInstance(1, { primary_node: a }), [aMirroredDisk(10, [a, b])]));
    const op = { OP_ID: "OP_TEST_ALLOCATOR", direction: "out", iallocator: "hail", name: "inst1" };
    const answer = async (more: object) =>
      JSON.parse(String((await run({ ...op, ...more })).result));
    expect(await answer({ mode: "relocate" })).toMatchObject({ result: ["node3.example.com"] });
    const evacuation = { mode: "node-evacuate", instances: ["inst1"], evac_mode: "secondary-only" };
    expect((await answer(evacuation)).result[0]).toEqual([
      ["inst1.example.com", "default", ["node1.example.com", "node3.example.com"]],
    ]);
    const move = { mode: "change-group", instances: ["inst1"], target_groups: ["default"] };
    expect(await answer(move)).toHaveProperty("success");
    const again = await run({ ...allocation, direction: "in", name: "inst1.example.com" });
    expect(again.result).toEqual(
      refused("Instance 'inst1.example.com' already in the cluster", "already_exists"),
    );
  });

  test.each([
    [{ direction: "out" }, "Missing allocator name"],
    [{ direction: "in", disks: [{ size: "x" }] }, "Invalid contents of the 'disks' parameter"],
    [{ direction: "in", mode: "node-evacuate" }, "Missing instances"],
    [
      { direction: "in", mode: "allocate-secondary" },
      "Invalid test allocator mode 'allocate-secondary'",
    ],
  ])("%j is refused", async (more, message) => {
    const { run } = await simulatedCluster();
    expect((await run({ ...allocation, ...more } as never)).result).toEqual(
      refused(message, "wrong_input"),
    );
  });
});

test("OP_TEST_JQUEUE logs its messages, and fails if requested", async () => {
  const { run } = await simulatedCluster();
  const op = { OP_ID: "OP_TEST_JQUEUE", log_messages: ["a"] };
  expect(await run(op)).toEqual({
    status: "success",
    result: true,
    log: [" - INFO: Executing", " - INFO: Sending log message 1", "TESTMSG:a"],
  });
  expect((await run({ ...op, fail: true })).result).toEqual(failed("Opcode failure was requested"));
});

test("OP_TEST_OS_PARAMS logs names of secret parameters and no values", async () => {
  const { run } = await simulatedCluster();
  const ran = await run({ OP_ID: "OP_TEST_OS_PARAMS", osparams_secret: { root_password: "x1y2" } });
  expect(ran.log).toEqual(["Secret OS parameters: {'root_password': '<redacted>'}"]);
  expect((await run({ OP_ID: "OP_TEST_OS_PARAMS" })).result).toEqual(
    failed("Opcode needs secret parameters"),
  );
});

test("OP_TEST_DUMMY logs, submits jobs, fails and returns as requested", async () => {
  const { run, queue } = await simulatedCluster();
  const dummy = { OP_ID: "OP_TEST_DUMMY", messages: ["hello"], fail: false, submit_jobs: [] };
  const child = { ...dummy, result: "child" };
  const ran = await run({ ...dummy, result: { a: 1 }, submit_jobs: [[child], [child]] });
  expect(ran).toMatchObject({ result: { a: 1 }, log: ["hello"] });
  expect(await queue.query([], ["status"])).toHaveLength(3);
  expect((await run({ ...dummy, result: null, fail: true })).status).toBe("error");
});
