import { instanceOnNode } from "@ganeti-ts/config";
import type { NodeUuid } from "@ganeti-ts/protocol";
import { noDurations } from "@ganeti-ts/simulated-nodes";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { reportedNodeMemory } from "../../../test/support/cluster.js";
import { failed, refused } from "../../../test/support/results.js";
import { staged } from "../../../test/support/web1.js";

const op = "OP_INSTANCE_MIGRATE";

const mirrorSteps = (mode: string) => [
  "* changing into standalone mode",
  `* changing disks into ${mode}-master mode`,
  "* wait until resync is done",
];

describe("migration", () => {
  test("a migration moves a running instance with both sides of its mirror open meanwhile", async () => {
    const { on, placesOf, runningOn, expectTidy, simulated, nodes } = await staged();
    const { startedMicros } =
      simulated.stateOf(nodes[0] ?? "")?.instances["web1.example.com"] ?? {};
    expect(await on(op, { mode: "live" })).toEqual({
      status: "success",
      result: null,
      log: [
        "Migrating instance web1.example.com",
        "* checking disk consistency between source and target",
        "* closing instance disks on node node2.example.com",
        ...mirrorSteps("dual"),
        "* opening instance disks on node node1.example.com in shared mode",
        "* opening instance disks on node node2.example.com in shared mode",
        "* preparing node2.example.com to accept the instance",
        "* migrating instance to node2.example.com",
        "* starting memory transfer",
        "* memory transfer complete",
        "* closing instance disks on node node1.example.com",
        "* wait until resync is done",
        ...mirrorSteps("single"),
        "* done",
      ],
    });
    expect(placesOf()).toEqual(["node2.example.com", "node1.example.com"]);
    expect([runningOn(1), runningOn(2)]).toEqual([[], ["web1.example.com"]]);
    expect(startedMicros).toBeDefined();
    const primaries = nodes
      .slice(0, 2)
      .map((node) => Object.values(simulated.stateOf(node)?.drbd ?? {})[0]?.primary);
    expect(primaries).toEqual([false, true]);
    expectTidy();
  });

  test("a migration logs the progress of the memory transfer", async () => {
    const clock = new VirtualClock();
    const durations = { ...noDurations, migrationSpeed: 16 };
    const making = staged({}, { clock, durations });
    await clock.pass(60_000);
    const { on } = await making;
    const moved = on(op);
    await clock.pass(60_000);
    const { log } = await moved;
    expect(log.filter((line) => String(line).includes("progress"))).toEqual([
      "* memory transfer progress: 31.25 %",
      "* memory transfer progress: 62.50 %",
      "* memory transfer progress: 93.75 %",
    ]);
  });

  test("a migration shrinks the instance's memory to the free memory of the target if that is allowed", async () => {
    const host = { memoryTotalMib: 2048 };
    const { on, put, nodes, simulated } = await staged({}, { host, cluster: reportedNodeMemory });
    const uuid = "00000000-0000-4000-8000-000000000099";
    await put({
      kind: "put",
      type: "instance",
      object: {
        uuid: uuid as never,
        forthcoming: true,
        primary_node: nodes[1] as never,
        nics: [],
        disks: [],
        tags: [],
        beparams: { maxmem: 700, minmem: 700 },
      },
    });
    expect((await on(op, { allow_runtime_changes: false })).result).toEqual(
      failed(
        "Memory ballooning not allowed and not enough free memory to fit instance" +
          " web1.example.com on target node node2.example.com (have 324MB, need 512MB)",
      ),
    );
    const { status, log } = await on(op);
    expect(status).toBe("success");
    expect(log).toContain("* setting instance memory to 324");
    const { memoryMib } = simulated.stateOf(nodes[1] ?? "")?.instances["web1.example.com"] ?? {};
    expect(memoryMib).toBe(324);
  });

  test("a source whose daemon does not answer for a while in the middle of a transfer is asked again", async () => {
    const clock = new VirtualClock();
    const making = staged({}, { clock });
    await clock.pass(60_000);
    const { on, simulated, runningOn } = await making;
    const call = "instance_get_migration_status";
    simulated.fail({ kind: "refused", call, times: 20, message: "no" });
    const moved = on(op);
    await clock.pass(60_000);
    expect(await moved).toMatchObject({ status: "success" });
    expect([runningOn(1), runningOn(2)]).toEqual([[], ["web1.example.com"]]);
  });

  test("a migration whose source does not answer for half a minute is taken back", async () => {
    const clock = new VirtualClock();
    const making = staged({}, { clock });
    await clock.pass(60_000);
    const { on, simulated, runningOn } = await making;
    simulated.fail({ kind: "refused", call: "instance_get_migration_status", message: "no" });
    const moved = on(op);
    await clock.pass(29_000);
    expect(runningOn(1)).toEqual(["web1.example.com"]);
    await clock.pass(60_000);
    const { result, log } = await moved;
    expect(result).toEqual(failed("Could not migrate instance web1.example.com: no"));
    expect(log).toContain("Migration failed, aborting");
    expect([runningOn(1), runningOn(2)]).toEqual([["web1.example.com"], []]);
  });

  test.each([
    ["accept_instance", "Pre-migration failed, aborting", "Could not pre-migrate instance"],
    ["instance_migrate", "Migration failed, aborting", "Could not migrate instance"],
  ] as const)("that fails at %s is taken back", async (call, line, text) => {
    const { on, simulated, runningOn, placesOf, expectTidy, nodes } = await staged();
    simulated.fail({ kind: "refused", call, times: 1, message: "no" });
    const { result, log } = await on(op);
    expect(result).toEqual(failed(`${text} web1.example.com: no`));
    expect(log).toContain(line);
    expect(log.slice(-3)).toEqual(mirrorSteps("single"));
    expect(placesOf()[0]).toBe("node1.example.com");
    expect([runningOn(1), runningOn(2)]).toEqual([["web1.example.com"], []]);
    expect(Object.values(simulated.stateOf(nodes[0] ?? "")?.drbd ?? {})[0]).toMatchObject({
      primary: true,
      multimaster: false,
      connects: true,
    });
    expectTidy();
    expect(await on(op)).toMatchObject({ status: "success" });
  });

  test("an instance stays at the source after a migration without a known end, until a cleanup finds it", async () => {
    const { on, simulated, runningOn, placesOf, expectTidy, nodes } = await staged();
    const call = "instance_finalize_migration_dst";
    simulated.fail({ kind: "lost after", call, node: nodes[1] ?? "", times: 1, message: "lost" });
    expect((await on(op)).result).toEqual(
      failed("Could not finalize instance migration: node2.example.com: lost"),
    );
    expect(placesOf()[0]).toBe("node1.example.com");
    expect(runningOn(2)).toEqual(["web1.example.com"]);
    expect(await on(op, { cleanup: true })).toEqual({
      status: "success",
      result: null,
      log: [
        " - INFO: Not checking memory on the secondary node as instance will not be started",
        "Migrating instance web1.example.com",
        "* checking where the instance actually runs (if this hangs, the hypervisor might be in a bad state)",
        "* instance running on: node2.example.com",
        "* instance running on secondary node (node2.example.com), updating config",
        "* closing instance disks on node node1.example.com",
        "* wait until resync is done",
        ...mirrorSteps("single"),
        "* done",
      ],
    });
    expect(placesOf()[0]).toBe("node2.example.com");
    expectTidy();
  });

  /** A migration that ends without an answer to its beginning and without an answer of its target. */
  async function arrivedUnseen(transferSpeed: number) {
    const durations = { ...noDurations, migrationSpeed: transferSpeed };
    const cluster = await staged({}, { durations });
    const [source = "", target = ""] = cluster.nodes;
    const once = { times: 1, message: "no answer" };
    cluster.simulated.fail({
      ...{ kind: "lost after", call: "instance_migrate", node: source, ...once },
    });
    cluster.simulated.fail({
      ...{ kind: "lost before", call: "instance_finalize_migration_dst", node: target, ...once },
    });
    return { ...cluster, result: (await cluster.on(op)).result, source, target };
  }

  test("an instance that has been transferred to a node that cannot be reached is not continued at its source", async () => {
    const { on, result, simulated, source, target, placesOf, runningOn, expectTidy, config, web1 } =
      await arrivedUnseen(Number.POSITIVE_INFINITY);
    expect(result).toEqual(
      failed(
        "Could not migrate instance web1.example.com: no answer. Its memory has been transferred completely," +
          " and node2.example.com could not be told to end it (no answer): it may run there and is not" +
          " continued on node1.example.com. Once both nodes answer, or node2.example.com is set offline, use 'gnt-instance migrate --cleanup" +
          " web1.example.com'",
      ),
    );
    const mirror = (node: string) => Object.values(simulated.stateOf(node)?.drbd ?? {})[0];
    for (const node of [source, target]) expect(mirror(node)).toMatchObject({ multimaster: true });
    // It runs on the target, as QEMU does after a transfer.
    const now = config.snapshot;
    const instance = instanceOnNode(now, web1());
    await simulated.call(
      target as NodeUuid,
      "instance_finalize_migration_dst",
      { instance, info: { memory: 512 }, success: true },
      { lease: "", signal: new AbortController().signal },
    );
    const { status, log } = await on(op, { cleanup: true });
    expect(status).toBe("success");
    expect(log).toContain(
      "* memory transfer was complete, the instance continues on node2.example.com",
    );
    expect([runningOn(1), runningOn(2)]).toEqual([[], ["web1.example.com"]]);
    expect(placesOf()[0]).toBe("node2.example.com");
    expectTidy();
  });

  test("an instance that has been transferred to a node that is offline now is continued at its source by a cleanup", async () => {
    const { on, simulated, source, target, node, runningOn, placesOf, expectTidy } =
      await arrivedUnseen(Number.POSITIVE_INFINITY);
    await simulated.powerOff(target);
    await node(2, { offline: true, master_candidate: false });
    const { status, log, result } = await on(op, { cleanup: true });
    expect([status, result]).toEqual(["success", null]);
    expect(log.slice(-4)).toEqual([
      "* instance confirmed to be running on its primary node (node1.example.com)",
      "* memory transfer was complete, but node2.example.com is offline: the instance continues on node1.example.com",
      " - WARNING: Disks keep their settings until node2.example.com is back: then use 'gnt-instance migrate" +
        " --cleanup web1.example.com'",
      "* done",
    ]);
    expect(simulated.stateOf(source)?.migrations).toEqual({});
    expect([runningOn(1), placesOf()[0]]).toEqual([["web1.example.com"], "node1.example.com"]);
    await simulated.powerOn(target);
    await node(2, { offline: false, master_candidate: true });
    expect((await on("OP_INSTANCE_ACTIVATE_DISKS")).status).toBe("success");
    expect((await on(op, { cleanup: true })).status).toBe("success");
    expectTidy();
  });

  test("an instance that has not been transferred whole continues at its source although its target cannot be reached", async () => {
    const { result, runningOn, simulated, source } = await arrivedUnseen(1);
    expect(result).toEqual(failed("Could not migrate instance web1.example.com: no answer"));
    expect(runningOn(1)).toEqual(["web1.example.com"]);
    expect(simulated.stateOf(source)?.migrations).toEqual({});
    expect(Object.values(simulated.stateOf(source)?.drbd ?? {})[0]).toMatchObject({
      multimaster: false,
    });
  });

  test("a migration of a stopped instance becomes a failover where that is allowed", async () => {
    const { on, runningOn, placesOf } = await staged({ start: false });
    const refusal = "Can't migrate, please use failover: Instance web1.example.com is not running";
    expect((await on(op)).result).toEqual(refused(refusal, "wrong_state"));
    const { status, log } = await on(op, { allow_failover: true });
    expect(status).toBe("success");
    expect(log.slice(0, 3)).toEqual([
      " - INFO: Instance is marked down or offline, fallback allowed, switching to failover",
      " - INFO: Not checking memory on the secondary node as instance will not be started",
      "Failover instance web1.example.com",
    ]);
    expect([runningOn(1), runningOn(2), placesOf()[0]]).toEqual([[], [], "node2.example.com"]);
  });

  test("a migration of a crashed or always failing-over instance becomes a failover", async () => {
    const { on, nodes, simulated, runningOn, placesOf, put, web1 } = await staged();
    await simulated.stopInstance(nodes[0] ?? "", "web1.example.com", "crash");
    const crashed = await on(op, { allow_failover: true });
    expect(crashed.log[0]).toBe(" - INFO: Can't migrate, instance offline, fallback to failover");
    expect(runningOn(2)).toEqual(["web1.example.com"]);
    const object = { ...web1(), beparams: { ...web1().beparams, always_failover: true } };
    await put({ kind: "put", type: "instance", object });
    const { log } = await on(op);
    expect(log[0]).toBe(" - INFO: Instance configured to always failover; fallback to failover");
    expect(placesOf()[0]).toBe("node1.example.com");
  });

  test("a migration of a reservation becomes its failover", async () => {
    const { run, instance, nodes } = await staged();
    await run({
      OP_ID: "OP_INSTANCE_CREATE",
      instance_name: "web2.example.com",
      mode: "create",
      forthcoming: true,
      disk_template: "drbd",
      disks: [{ size: 1024 }],
      nics: [],
      pnode: "node1.example.com",
      snode: "node2.example.com",
      beparams: { memory: 1024 },
    });
    const { status, log } = await run({ OP_ID: op, instance_name: "web2.example.com" });
    expect(status).toBe("success");
    expect(log).toContain("Instance is forthcoming, just updating the  configuration");
    expect(instance("web2").primary_node).toBe(nodes[1]);
  });
});

test("a cleanup without a target that is offline leaves the mirror of a running instance connected", async () => {
  const { on, node, nodes, simulated } = await staged();
  const [source = "", target = ""] = nodes;
  await simulated.powerOff(target);
  await node(2, { offline: true, master_candidate: false });
  const mirror = () => Object.values(simulated.stateOf(source)?.drbd ?? {})[0];
  const before = { ...mirror() };
  expect(await on("OP_INSTANCE_MIGRATE", { cleanup: true })).toMatchObject({
    status: "success",
    log: expect.not.arrayContaining([expect.stringContaining("memory transfer was complete")]),
  });
  expect(mirror()).toMatchObject({ connects: true, multimaster: before.multimaster });
});

test("a cleanup of an instance at its primary repairs its mirror", async () => {
  const { on, expectTidy, simulated, nodes } = await staged();
  const { log } = await on(op, { cleanup: true });
  expect(log).toContain(
    "* instance confirmed to be running on its primary node (node1.example.com)",
  );
  expectTidy();
  await simulated.stopInstance(nodes[0] ?? "", "web1.example.com", "crash");
  expect((await on(op, { cleanup: true })).result).toEqual(
    failed(
      "Instance does not seem to be running at all; in this case it's safer to repair by running" +
        " 'gnt-instance stop' to ensure disk shutdown, and then restarting it",
    ),
  );
});
