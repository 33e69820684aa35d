import type { ForthcomingInstance } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { reportedNodeMemory } from "../../../test/support/cluster.js";
import { failed, refused } from "../../../test/support/results.js";
import { staged } from "../../../test/support/web1.js";

const op = "OP_INSTANCE_FAILOVER";

describe("failover", () => {
  test("a failover stops the instance and starts it on its secondary", async () => {
    const { on, placesOf, runningOn, expectTidy, web1 } = await staged();
    expect(await on(op)).toEqual({
      status: "success",
      result: null,
      log: [
        "Failover instance web1.example.com",
        "* checking disk consistency between source and target",
        "* shutting down instance on source node",
        "* deactivating the instance's disks on source node",
        "* activating the instance's disks on target node node2.example.com",
        "* starting the instance on the target node node2.example.com",
      ],
    });
    expect(placesOf()).toEqual(["node2.example.com", "node1.example.com"]);
    expect([runningOn(1), runningOn(2)]).toEqual([[], ["web1.example.com"]]);
    expect(web1()).toMatchObject({ admin_state: "up", disks_active: true });
    expectTidy();
    // Back to the first node.
    expect(await on(op)).toMatchObject({ status: "success" });
    expect([runningOn(1), runningOn(2)]).toEqual([["web1.example.com"], []]);
  });

  test("a failover of a stopped instance starts nothing", async () => {
    const { on, placesOf, runningOn } = await staged({ start: false });
    await on("OP_INSTANCE_DEACTIVATE_DISKS");
    expect(await on(op)).toEqual({
      status: "success",
      result: null,
      log: [
        " - INFO: Not checking memory on the secondary node as instance will not be started",
        "Failover instance web1.example.com",
        "* not checking disk consistency as instance is not running",
        "* shutting down instance on source node",
        "* deactivating the instance's disks on source node",
      ],
    });
    expect(placesOf()[0]).toBe("node2.example.com");
    expect(runningOn(2)).toEqual([]);
  });

  test("a failover on shared storage goes to the given node, or to one chosen by an allocator", async () => {
    const { on, placesOf, runningOn } = await staged({ disk_template: "sharedfile" });
    expect(await on(op, { target_node: "node3" })).toMatchObject({
      status: "success",
      log: [
        "Failover instance web1.example.com",
        "* checking disk consistency between source and target",
        "* shutting down instance on source node",
        "* closing instance disks on node node1.example.com",
        "* deactivating the instance's disks on source node",
        "* activating the instance's disks on target node node3.example.com",
        "* starting the instance on the target node node3.example.com",
      ],
    });
    expect(runningOn(3)).toEqual(["web1.example.com"]);
    const { log } = await on(op, { iallocator: "hail" });
    const [chosen = ""] = placesOf();
    expect(log[0]).toBe(
      ` - INFO: Selected nodes for instance web1.example.com via iallocator hail: ${chosen}`,
    );
    expect(chosen).not.toBe("node3.example.com");
  });

  test("a failover from a dead node works once the node is marked offline", async () => {
    const { on, node, nodes, simulated, placesOf, runningOn, web1 } = await staged();
    await simulated.powerOff(nodes[0] ?? "");
    expect((await on(op)).result).toEqual(
      failed("Disk 0 is degraded on target node, aborting failover"),
    );
    expect(web1().primary_node).toBe(nodes[0]);
    await node(1, { offline: true, master_candidate: false });
    const { status, log } = await on(op);
    expect(status).toBe("success");
    expect(log).toContain(
      "Node node1.example.com is offline, ignoring degraded disk 0 on target node node2.example.com",
    );
    expect(log).toContain(
      " - WARNING: Could not shutdown instance web1.example.com on node node1.example.com," +
        " proceeding anyway; please make sure node node1.example.com is down; error details:" +
        " Node is marked offline",
    );
    expect(placesOf()[0]).toBe("node2.example.com");
    expect(runningOn(2)).toEqual(["web1.example.com"]);
  });

  test.each([
    { at: 1, what: "is stopped there, and remains at a source marked offline", target: "stops it" },
    { at: 2, what: "remains there if it cannot be stopped", target: "does not answer" },
  ])(
    "an instance that a failover has started, without hearing of it, $what",
    async ({ at, target }) => {
      const { on, node, nodes, simulated, placesOf, runningOn, recover } = await staged({
        disk_template: "sharedfile",
      });
      await node(1, { offline: true, master_candidate: false });
      const [, second = ""] = nodes;
      simulated.fail({ kind: "lost after", call: "instance_start", node: second, times: 1 });
      if (target !== "stops it")
        simulated.fail({ kind: "lost before", call: "instance_shutdown", node: second, times: 1 });
      const { result } = await on(op, { target_node: "node2" });
      expect(String(result)).toContain("Could not start instance web1.example.com on node node2");
      expect(placesOf()[0]).toBe(`node${at}.example.com`);
      expect(runningOn(at)).toEqual(["web1.example.com"]);
      // The copy at the source is stopped as soon as the source answers again.
      await node(1, { offline: false });
      await recover();
      expect(runningOn(3 - at)).toEqual([]);
    },
  );

  test("a failover fails and is reverted if the target cannot start the instance of a source marked offline", async () => {
    const { on, node, placesOf, runningOn, web1 } = await staged();
    await node(1, { offline: true, master_candidate: false });
    const { status, result, log } = await on(op);
    expect([status, result]).toEqual(["error", failed("Can't activate the instance's disks")]);
    expect(log.at(-1)).toBe(
      " - WARNING: Instance web1.example.com was not started and may still run on node node1.example.com," +
        " which remains its primary: switch that node off, then fail over again",
    );
    expect(placesOf()).toEqual(["node1.example.com", "node2.example.com"]);
    expect([runningOn(1), runningOn(2)]).toEqual([["web1.example.com"], []]);
    await node(1, { offline: false });
    expect(await on("OP_INSTANCE_ACTIVATE_DISKS")).toMatchObject({ status: "success" });
    expect(await on(op)).toMatchObject({ status: "success" });
    expect([runningOn(1), runningOn(2)]).toEqual([[], ["web1.example.com"]]);
    expect(web1().admin_state).toBe("up");
  });

  test("a failover needs memory at the target that is not reserved", async () => {
    const { on, put, nodes, web1, runningOn } = await staged(
      {},
      { host: { memoryTotalMib: 2048 }, cluster: reportedNodeMemory },
    );
    const { uuid } = { uuid: "00000000-0000-4000-8000-000000000099" } as ForthcomingInstance;
    await put({
      kind: "put",
      type: "instance",
      object: {
        uuid,
        forthcoming: true,
        primary_node: nodes[1] as never,
        nics: [],
        disks: [],
        tags: [],
        beparams: { maxmem: 800, minmem: 800 },
      },
    });
    expect((await on(op)).result).toEqual(
      refused(
        "Not enough memory on node node2.example.com for migrating instance web1.example.com:" +
          " needed 256 MiB, available 224 MiB",
        "insufficient_resources",
      ),
    );
    expect(web1().primary_node).toBe(nodes[0]);
    expect(runningOn(1)).toEqual(["web1.example.com"]);
  });

  test("a failover that dies after stopping the source leaves the instance there, ready to be started", async () => {
    const { on, nodes, simulated, web1, expectTidy, runningOn } = await staged();
    simulated.fail({ kind: "refused", call: "blockdev_shutdown", node: nodes[1] ?? "", times: 1 });
    expect((await on(op)).result).toEqual(failed("Can't shut down the instance's disks"));
    expect(web1()).toMatchObject({ primary_node: nodes[0], admin_state: "up" });
    expectTidy();
    expect(await on("OP_INSTANCE_STARTUP")).toMatchObject({ status: "success" });
    expect(runningOn(1)).toEqual(["web1.example.com"]);
  });

  test("a failover whose start fails leaves the instance at the target, to be started there", async () => {
    const { on, nodes, simulated, web1, expectTidy, runningOn } = await staged();
    simulated.fail({ kind: "refused", call: "instance_start", times: 1, message: "no" });
    expect((await on(op)).result).toEqual(
      failed("Could not start instance web1.example.com on node node2.example.com: no"),
    );
    expect(web1()).toMatchObject({
      primary_node: nodes[1],
      admin_state: "up",
      disks_active: false,
    });
    expectTidy();
    expect(await on("OP_INSTANCE_STARTUP")).toMatchObject({ status: "success" });
    expect(runningOn(2)).toEqual(["web1.example.com"]);
  });

  test("a failover of a reservation only changes the configuration, if there is room", async () => {
    const { run, instance, nodes, put, simulated } = await staged();
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
    const before = structuredClone(simulated.stateOf(nodes[1] ?? ""));
    const failover = (more = {}) => run({ OP_ID: op, instance_name: "web2.example.com", ...more });
    expect(await failover({ dry_run: true })).toMatchObject({ status: "success", result: null });
    expect(instance("web2")).toMatchObject({ primary_node: nodes[0] });
    expect(await failover()).toEqual({
      status: "success",
      result: null,
      log: [
        "Failover instance web2.example.com",
        "Instance is forthcoming, just updating the  configuration",
      ],
    });
    expect(instance("web2")).toMatchObject({ primary_node: nodes[1], forthcoming: true });
    expect(simulated.stateOf(nodes[1] ?? "")).toEqual(before);
    const object = instance("web2");
    const larger = { ...object, beparams: { maxmem: 31_500, minmem: 31_500 } };
    await put({ kind: "put", type: "instance", object: larger as typeof object });
    expect((await failover()).result).toEqual(
      refused(
        "Not enough memory on node node1.example.com for migrating instance web2.example.com:" +
          " needed 31500 MiB, available 28160 MiB",
        "insufficient_resources",
      ),
    );
  });
});
