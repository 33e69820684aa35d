import { consistencyFaults, newUuid } from "@ganeti-ts/config";
import type { ClaimOf, ClaimUuid, DiskUuid, JobId } from "@ganeti-ts/protocol";
import { secureRandom } from "@ganeti-ts/protocol";
import { setVolume } from "@ganeti-ts/simulated-nodes";
import { commandsOfVerification, opcodeOf } from "@ganeti-ts/simulated-nodes/at-rest";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { failed, refused } from "../../../test/support/results.js";
import { type StagedCluster, staged } from "../../../test/support/web1.js";
import { recoverHeld } from "../../recovery.js";

const op = "OP_INSTANCE_REPLACE_DISKS";
const info = (text: string) => ` - INFO: ${text}`;

/** Two physical volumes, so that one can be lost. */
const twoVolumes = { host: { volumeGroups: { xenvg: { "/dev/sda3": 4000, "/dev/sdb1": 4000 } } } };

const drbdOn = ({ simulated, nodes }: StagedCluster, node: number) =>
  Object.values(simulated.stateOf(nodes[node - 1] ?? "")?.drbd ?? {});

const beginning = [
  "Replacing disk(s) 0 for instance 'web1.example.com'",
  "Current primary node: node1.example.com",
  "Current secondary node: node2.example.com",
];
const waiting = [
  info("Waiting for instance web1.example.com to sync disks"),
  info("Instance web1.example.com's disks are in sync"),
];
const inPlace = (target: string, other: string) => [
  ...beginning,
  "STEP 1/6 Check device existence",
  info(`Checking disk/0 on ${other}`),
  info(`Checking disk/0 on ${target}`),
  info("Checking volume groups"),
  "STEP 2/6 Check peer consistency",
  info(`Checking disk/0 consistency on node ${other}`),
  "STEP 3/6 Allocate new storage",
  info(`Adding storage on ${target} for disk/0`),
  "STEP 4/6 Changing drbd configuration",
  info("Detaching disk/0 drbd from local storage"),
  info("Renaming the old LVs on the target node"),
  info("Renaming the new LVs on the target node"),
  info(`Adding new mirror component on ${target}`),
];

/** A staged cluster, and a function that lets time pass while something is done there. */
async function passingCluster() {
  const clock = new VirtualClock();
  const passing = async <T>(work: Promise<T>): Promise<T> => {
    await clock.pass(60_000);
    return work;
  };
  return { cluster: await passing(staged({}, { clock })), passing };
}

describe("disk replacement", () => {
  test("a new secondary is refused until leftovers of a dead job there are removed", async () => {
    const { on, put, config, nodes, simulated, web1, placesOf, expectTidy } = await staged();
    const now = config.snapshot;
    const [disk] = now.disksOf(web1());
    const node3 = nodes[2];
    if (disk === undefined || node3 === undefined) throw new Error("there are three nodes");
    const children = disk.children.map((child) => ({
      ...child,
      uuid: newUuid<DiskUuid>(now, secureRandom),
      nodes: [node3],
      forthcoming: true as const,
    }));
    const left = {
      uuid: newUuid<DiskUuid>(now, secureRandom),
      nodes: [node3],
      children,
      dev_type: "drbd" as const,
      forthcoming: true as const,
      logical_id: [node3, null, null, 0, null, disk.logical_id?.[5] ?? null],
    };
    const object: ClaimOf<"removal"> = {
      ...({ kind: "removal", uuid: newUuid<ClaimUuid>(now, secureRandom) } as const),
      ...{ job: 999 as JobId, node: node3, disks: [left] },
    };
    await put({ kind: "put", type: "claim", object });
    const move = { mode: "replace_new_secondary", remote_node: "node3.example.com" };
    const [volume] = children;
    const text = `Leftovers of a job: ${volume?.logical_id?.join("/")} on node node3.example.com is not removed yet, try again later`;
    expect((await on(op, move)).result).toEqual(refused(text, "temp_insufficient_resources"));
    expect(placesOf()).toEqual(["node1.example.com", "node2.example.com"]);
    const { signal } = new AbortController();
    await recoverHeld({ config, nodes: simulated, lease: "", signal }, async () => true);
    expect((await on(op, move)).status).toBe("success");
    expect(placesOf()).toEqual(["node1.example.com", "node3.example.com"]);
    expectTidy();
  });

  test("replacing disks on the secondary exchanges its volumes under the same names", async () => {
    const cluster = await staged();
    const { on, config, volumesOn, expectTidy } = cluster;
    const [before, volumes] = [config.snapshot.serial, volumesOn(2)];
    expect(await on(op, { mode: "replace_on_secondary" })).toEqual({
      status: "success",
      result: null,
      log: [
        ...inPlace("node2.example.com", "node1.example.com"),
        "STEP 5/6 Sync devices",
        ...waiting,
        "STEP 6/6 Removing old storage",
        info("Remove logical volumes for disk/0"),
      ],
    });
    expect(volumesOn(2)).toEqual(volumes);
    expect(drbdOn(cluster, 2)).toMatchObject([{ data: "uptodate", up: true }]);
    // The claims on the new and on the old volumes are added and dropped; nothing else is written.
    expect(config.snapshot.serial).toBe(before + 3);
    expectTidy();
  });

  test("replacing disks on the primary with early release removes the old volumes first", async () => {
    const cluster = await staged();
    const { log } = await cluster.on(op, { mode: "replace_on_primary", early_release: true });
    expect(log).toEqual([
      ...inPlace("node1.example.com", "node2.example.com"),
      "STEP 5/6 Removing old storage",
      info("Remove logical volumes for disk/0"),
      "STEP 6/6 Sync devices",
      ...waiting,
    ]);
    expect(cluster.volumesOn(1)).toHaveLength(2);
    expect(drbdOn(cluster, 1)).toMatchObject([{ data: "uptodate", primary: true }]);
  });

  test("a new secondary gets the mirror's second copy", async () => {
    const cluster = await staged();
    const { on, placesOf, volumesOn, config, web1, nodes, expectTidy } = cluster;
    const remote = { mode: "replace_new_secondary", remote_node: "node3.example.com" };
    expect(await on(op, { ...remote, dry_run: true })).toMatchObject({ status: "success" });
    const faults: string[] = [];
    config.onChange(() => faults.push(...consistencyFaults(config.snapshot)));
    expect(await on(op, remote)).toEqual({
      status: "success",
      result: null,
      log: [
        ...beginning,
        "STEP 1/6 Check device existence",
        info("Checking disk/0 on node1.example.com"),
        info("Checking volume groups"),
        "STEP 2/6 Check peer consistency",
        info("Checking disk/0 consistency on node node1.example.com"),
        "STEP 3/6 Allocate new storage",
        info("Adding new local storage on node3.example.com for disk/0"),
        "STEP 4/6 Changing drbd configuration",
        info("activating a new drbd on node3.example.com for disk/0"),
        info("Shutting down drbd for disk/0 on old node"),
        info("Detaching primary drbds from the network (=> standalone)"),
        info("Updating instance configuration"),
        info("Attaching primary drbds to new secondary (standalone => connected)"),
        "STEP 5/6 Sync devices",
        ...waiting,
        "STEP 6/6 Removing old storage",
        info("Remove logical volumes for 0"),
      ],
    });
    // One change replaces the resources held by the operation with the real ones.
    expect(faults).toEqual([]);
    expect(placesOf()).toEqual(["node1.example.com", "node3.example.com"]);
    expect([1, 2, 3].map((node) => volumesOn(node).length)).toEqual([2, 0, 2]);
    const [disk] = config.snapshot.disksOf(web1());
    expect(disk?.logical_id?.slice(0, 2)).toEqual([nodes[0], nodes[2]]);
    expect(disk?.children.map((child) => child.nodes)).toEqual([...[disk?.nodes, disk?.nodes]]);
    expectTidy();
    expect(await on("OP_INSTANCE_MIGRATE")).toMatchObject({ status: "success" });
    expect(cluster.runningOn(3)).toEqual(["web1.example.com"]);
  });

  test("the allocator chooses a new secondary when the old one is offline", async () => {
    const { on, node, nodes, simulated, placesOf } = await staged();
    await simulated.powerOff(nodes[1] ?? "");
    await node(2, { offline: true, master_candidate: false });
    const { status, log } = await on(op, { mode: "replace_new_secondary", iallocator: "hail" });
    expect(status).toBe("success");
    expect(log.slice(0, 2)).toEqual([
      info("Selected new secondary for instance 'web1.example.com': node3.example.com"),
      info("Old secondary node2.example.com is offline, automatically enabling early-release mode"),
    ]);
    expect(log).toContain(" - WARNING: Can't remove old LV: Node is marked offline");
    expect(placesOf()).toEqual(["node1.example.com", "node3.example.com"]);
  });

  test("automatic replacement recreates only faulty disks", async () => {
    const cluster = await staged({}, twoVolumes);
    const { on: onWeb1, simulated, nodes } = cluster;
    expect((await onWeb1(op, { mode: "replace_auto" })).log.at(-1)).toBe(
      "No disks need replacement for instance 'web1.example.com'",
    );
    const { volumes = {} } = simulated.stateOf(nodes[1] ?? "")?.volumeGroups.xenvg ?? {};
    const [carrier] = Object.values(volumes).flatMap(({ pieces }) => pieces.map(({ on }) => on));
    await simulated.breakPhysicalVolume(nodes[1] ?? "", "xenvg", carrier ?? "");
    const { status, log } = await onWeb1(op, { mode: "replace_auto" });
    expect(status).toBe("success");
    expect(log).toContain(info("Adding storage on node2.example.com for disk/0"));
    expect(drbdOn(cluster, 2)).toMatchObject([{ data: "uptodate" }]);
    for (const node of nodes.slice(0, 2)) {
      await simulated.breakPhysicalVolume(node, "xenvg", "/dev/sda3");
      await simulated.breakPhysicalVolume(node, "xenvg", "/dev/sdb1");
    }
    expect((await onWeb1(op, { mode: "replace_auto" })).result).toEqual(
      refused(
        "Instance web1.example.com has faulty disks on more than one node and can not be repaired" +
          " automatically",
        "wrong_state",
      ),
    );
  });

  test("replacing disks of a stopped instance activates them and deactivates them afterwards", async () => {
    const cluster = await staged({ start: false });
    const { on, web1 } = cluster;
    await on("OP_INSTANCE_DEACTIVATE_DISKS");
    expect(await on(op, { mode: "replace_on_secondary" })).toMatchObject({ status: "success" });
    expect(web1().disks_active).toBe(false);
    expect(drbdOn(cluster, 1)).toMatchObject([{ up: false }]);
  });

  test.each([
    [
      "blockdev_removechildren",
      "Can't detach drbd from local storage on node node2.example.com for device disk/0: no",
    ],
    ["blockdev_rename", "Can't rename old LVs on node node2.example.com: no"],
    ["blockdev_addchildren", "Can't add local storage to drbd: no"],
  ] as const)("in place that fails at %s can be done again", async (call, message) => {
    const cluster = await staged();
    const { on, simulated, config, recover, expectTidy } = cluster;
    simulated.fail({ kind: "refused", call, times: 1, message: "no" });
    expect((await on(op, { mode: "replace_on_secondary" })).result).toEqual(failed(message));
    // Replaced volumes are kept as long as there is no other copy.
    await recover();
    const isPutAside = call === "blockdev_addchildren";
    expect([...config.snapshot.claims()]).toHaveLength(isPutAside ? 1 : 0);
    expect(drbdOn(cluster, 1)).toMatchObject([{ data: "uptodate", primary: true }]);
    expect(await on(op, { mode: "replace_on_secondary" })).toMatchObject({ status: "success" });
    expect(drbdOn(cluster, 2)).toMatchObject([{ data: "uptodate" }]);
    await recover();
    expectTidy();
    expect(cluster.volumesOn(2)).toHaveLength(2);
  });

  test.each([
    ["blockdev_create", 2, "node2.example.com"],
    ["drbd_disconnect_net", 0, "node2.example.com"],
    ["drbd_attach_net", 0, "node3.example.com"],
  ] as const)("on another node that fails at %s can be done again", async (call, after, where) => {
    const { on, simulated, placesOf, volumesOn, recover, expectTidy } = await staged();
    const remote = { mode: "replace_new_secondary", remote_node: "node3.example.com" };
    simulated.fail({ kind: "refused", call, times: 1, after, message: "no" });
    expect(await on(op, remote)).toMatchObject({ status: "error", result: ["OpExecError", {}] });
    expect(placesOf()[1]).toBe(where);
    if (where === "node3.example.com") {
      // The configuration already names the new node: activating the disks connects them.
      expect(await on("OP_INSTANCE_ACTIVATE_DISKS")).toMatchObject({ status: "success" });
    } else {
      expect(await on(op, remote)).toMatchObject({ status: "success" });
    }
    expect(await on("OP_INSTANCE_MIGRATE")).toMatchObject({ status: "success" });
    await recover();
    expectTidy();
    expect([1, 2, 3].map((node) => volumesOn(node).length)).toEqual([2, 0, 2]);
  });

  test("verification's commands free an old copy although the primary has lost its volumes", async () => {
    const { cluster, passing } = await passingCluster();
    const { simulated, nodes, volumesOn, recover, expectTidy } = cluster;
    const on = (...asked: Parameters<StagedCluster["on"]>) => passing(cluster.on(...asked));
    const volumeCounts = () => [1, 2, 3].map((node) => volumesOn(node).length);
    const [first = "", second = ""] = nodes;
    simulated.fail({ kind: "refused", call: "blockdev_remove", node: second, times: 2 });
    const remote = { mode: "replace_new_secondary", remote_node: "node3.example.com" };
    expect(await on(op, remote)).toMatchObject({ status: "success" });
    await on("OP_INSTANCE_SHUTDOWN");
    const group = simulated.stateOf(first)?.volumeGroups.xenvg;
    for (const name of volumesOn(1)) if (group !== undefined) setVolume(group, name, undefined);
    await passing(recover());
    expect(volumeCounts()).toEqual([0, 2, 2]);
    const commands: string[] = [];
    for (let round = 0; round < 3; round++) {
      for (const command of await passing(commandsOfVerification(cluster))) {
        commands.push(command);
        await passing(cluster.run(opcodeOf(command)));
      }
      await passing(recover());
    }
    // Activation shows which side has lost its storage.
    expect(commands).toEqual([
      "gnt-instance activate-disks web1.example.com",
      "gnt-instance replace-disks -p web1.example.com",
    ]);
    expect(volumeCounts()).toEqual([2, 0, 2]);
    expectTidy();
  });

  test("verification has the other side activated before the disks of the primary are replaced", async () => {
    const { cluster, passing } = await passingCluster();
    const { simulated, nodes, volumesOn, recover, expectTidy } = cluster;
    const [first = "", second = ""] = nodes;
    // The job fails between detaching the old volumes and attaching the new ones.
    simulated.fail({ kind: "refused", call: "blockdev_addchildren", node: first, times: 1 });
    const inPlace = { mode: "replace_on_primary" };
    expect((await passing(cluster.on(op, inPlace))).status).toBe("error");
    await passing(recover());
    expect([...cluster.config.snapshot.claims()]).toHaveLength(1);
    await simulated.powerOff(second);
    await simulated.powerOn(second);
    const commands: string[] = [];
    for (let round = 0; round < 2; round++) {
      for (const command of await passing(commandsOfVerification(cluster))) {
        commands.push(command);
        expect(await passing(cluster.run(opcodeOf(command)))).toMatchObject({ status: "success" });
      }
      await passing(recover());
    }
    expect(commands).toEqual([
      "gnt-instance activate-disks web1.example.com",
      "gnt-instance replace-disks -p web1.example.com",
    ]);
    expect(volumesOn(1)).toHaveLength(2);
    expectTidy();
  });

  test.each([
    ["OP_INSTANCE_REMOVE", {}],
    ["OP_INSTANCE_REMOVE", { ignore_failures: true }],
    ["OP_INSTANCE_SET_PARAMS", { disks: [["remove", 0, {}]] }],
  ] as const)("%s %j lets recovery remove old copies, even if it fails", async (opId, more) => {
    const cluster = await staged({ start: false });
    const { on, simulated, nodes, volumesOn, recover, expectTidy } = cluster;
    const refuseRemovals = (at: number, times: number) => {
      const node = nodes[at - 1] ?? "";
      simulated.fail({ kind: "refused", call: "blockdev_remove", node, times });
    };
    refuseRemovals(2, 2);
    const remote = { mode: "replace_new_secondary", remote_node: "node3.example.com" };
    expect(await on(op, remote)).toMatchObject({ status: "success" });
    expect(volumesOn(2)).toHaveLength(2);
    // The new copy is not known to be complete without its peer.
    await on("OP_INSTANCE_DEACTIVATE_DISKS");
    refuseRemovals(3, 1);
    const { status } = await on(opId, more);
    await recover();
    expectTidy();
    expect(status === "success" ? volumesOn(3) : []).toEqual([]);
    expect([volumesOn(1), volumesOn(2)]).toEqual([[], []]);
  });

  test("a new secondary for a reservation moves the reserved space if there is room", async () => {
    const { run, instance, nodes, volumesOn, config, expectTidy, simulated } = await staged();
    await run({
      OP_ID: "OP_INSTANCE_CREATE",
      instance_name: "web2.example.com",
      mode: "create",
      forthcoming: true,
      disk_template: "drbd",
      disks: [{ size: 2048 }],
      nics: [],
      pnode: "node1.example.com",
      snode: "node2.example.com",
      beparams: { memory: 512 },
    });
    const replace = (more: object) =>
      run({ OP_ID: op, instance_name: "web2.example.com", ...more });
    const remote = { mode: "replace_new_secondary", remote_node: "node3.example.com" };
    await simulated.fillDisk(nodes[2] ?? "", "xenvg", 2000);
    expect((await replace(remote)).result).toEqual(
      refused(
        "Not enough disk space on target node node3.example.com vg xenvg: required 2176 MiB," +
          " available 2000 MiB",
        "insufficient_resources",
      ),
    );
    expect((await replace({ mode: "replace_on_secondary" })).log.at(-1)).toBe(
      "Instance forthcoming, not touching disks",
    );
    expect((await replace({ mode: "replace_auto" })).log).toEqual([
      "No disks need replacement for instance 'web2.example.com'",
    ]);
    const other = { mode: "replace_new_secondary", remote_node: "node1.example.com" };
    expect((await replace(other)).result).toEqual(
      refused("The specified node is the primary node of the instance", "wrong_input"),
    );
    expect(volumesOn(3).every((name) => name.startsWith("filler"))).toBe(true);
    const [disk] = config.snapshot.disksOf(instance("web2"));
    expect(disk?.nodes).toEqual([nodes[0], nodes[1]]);
    expectTidy();
  });

  test("replacing disks of a reservation changes only the configuration", async () => {
    const { run, instance, nodes, volumesOn, config, expectTidy } = await staged();
    await run({
      OP_ID: "OP_INSTANCE_CREATE",
      instance_name: "web2.example.com",
      mode: "create",
      forthcoming: true,
      disk_template: "drbd",
      disks: [{ size: 2048 }],
      nics: [],
      pnode: "node1.example.com",
      snode: "node2.example.com",
      beparams: { memory: 512 },
    });
    const remote = { mode: "replace_new_secondary", remote_node: "node3.example.com" };
    const { log } = await run({ OP_ID: op, instance_name: "web2.example.com", ...remote });
    expect(log).toEqual([
      "Replacing disk(s) 0 for instance 'web2.example.com'",
      ...beginning.slice(1),
      "Instance fortcoming, will only update the configuration",
      info("Updating instance configuration"),
    ]);
    const [disk] = config.snapshot.disksOf(instance("web2"));
    expect(disk).toMatchObject({ nodes: [nodes[0], nodes[2]], forthcoming: true });
    expect(volumesOn(3)).toEqual([]);
    expectTidy();
  });
});
