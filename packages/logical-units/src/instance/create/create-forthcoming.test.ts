import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import { consistencyFaults, devicesOfClaim, newUuid } from "@ganeti-ts/config";
import type { ClaimUuid, InstanceUuid, JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { secureRandom } from "@ganeti-ts/protocol";
import { describe, expect, test, vi } from "vitest";
import { failed, refused } from "../../../test/support/results.js";
import { simulatedCluster } from "../../../test/support/simulated.js";
import { recoverHeld } from "../../recovery.js";

const create = { OP_ID: "OP_INSTANCE_CREATE" };
/** The claim of a dead job that made the reservation real. */
const claimOfDead = (now: Snapshot, reservation: string): ConfigChange => ({
  kind: "put",
  type: "claim",
  object: {
    ...{ kind: "commit", uuid: newUuid<ClaimUuid>(now, secureRandom), job: 999 as JobId },
    ...{ reservation: reservation as InstanceUuid, names: { nics: [], disks: [] }, spaces: [] },
    isBegun: true,
  },
});

async function reserved(more: JsonObject = {}) {
  const cluster = await simulatedCluster();
  const made = await cluster.run({ ...create, forthcoming: true, ...more });
  return { ...cluster, made, uuid: String(made.result) };
}

describe("reservations", () => {
  test("a reservation without values is an entry with a UUID and takes no resources", async () => {
    const { made, uuid, config } = await reserved();
    expect(made.status).toBe("success");
    expect(made.log).toEqual([
      "Instance is forthcoming, not creating disks",
      `adding instance ${uuid} to cluster config`,
      "adding disks to cluster config",
      "Instance is forthcoming; not creating the actual instance",
    ]);
    const entry = config.snapshot.expectInstance(uuid);
    expect(entry).toMatchObject({ forthcoming: true, disks: [], nics: [] });
    expect(entry.primary_node).toBeUndefined();
  });

  test.each([
    { more: { beparams: { maxmem: 2048 } }, isKept: false },
    { more: { beparams: { vcpus: 4 } }, isKept: false },
    { more: { beparams: { minmem: 64 } }, isKept: false },
    { more: { disks: [{ size: 1024 }] }, isKept: false },
    { more: { disks: [{ size: 1024 }], disk_template: "plain" }, isKept: false },
    { more: { beparams: { spindle_use: 2 } }, isKept: true },
    { more: { instance_name: "web.example.com", os_type: "noop" }, isKept: true },
    { more: { beparams: { maxmem: 2048 }, pnode: "node1.example.com" }, isKept: true },
    { more: { disks: [{ size: 1024 }], iallocator: "hail" }, isKept: true },
  ])(
    "$more: it is said, and verified, whether some node keeps the resources: $isKept",
    async ({ more, isKept }) => {
      const { run } = await simulatedCluster();
      await run({ OP_ID: "OP_CLUSTER_SET_PARAMS", default_iallocator: "" });
      const made = await run({ ...create, forthcoming: true, ...more });
      const uuid = String(made.result);
      expect(made.status).toBe("success");
      const warning = expect.stringContaining("are not kept free on any node");
      const note = expect.stringContaining(`kept nowhere: ${more.instance_name ?? uuid}`);
      const { log, result } = await run({ OP_ID: "OP_CLUSTER_VERIFY_CONFIG" });
      expect(result).toBe(true);
      if (isKept) {
        expect(made.log).not.toContainEqual(warning);
        expect(log).not.toContainEqual(note);
      } else {
        expect(made.log).toContainEqual(warning);
        expect(log).toContainEqual(note);
      }
    },
  );

  test("a reservation of memory and disk is on its nodes and counts for later operations", async () => {
    const { run, made, uuid, config, nodes, volumesOn } = await reserved({
      beparams: { memory: 20000 },
      disks: [{ size: 300_000 }],
      disk_template: "plain",
      pnode: "node1.example.com",
    });
    expect(made.status).toBe("success");
    expect(config.snapshot.expectInstance(uuid)).toMatchObject({ primary_node: nodes[0] });
    expect(volumesOn(1)).toEqual([]);
    const other = {
      ...create,
      instance_name: "web2.example.com",
      mode: "create",
      nics: [{}],
      os_type: "noop+default",
      pnode: "node1.example.com",
      disk_template: "plain",
    };
    expect((await run({ ...other, disks: [{ size: 300_000 }] })).result).toEqual(
      refused(
        "Not enough disk space on target node node1.example.com vg xenvg: required 300000 MiB," +
          " available 212000 MiB",
        "insufficient_resources",
      ),
    );
    expect(
      (await run({ ...other, disks: [{ size: 1024 }], beparams: { memory: 12000 } })).result,
    ).toEqual(
      refused(
        "Not enough memory on node node1.example.com for creating instance web2.example.com:" +
          " needed 12000 MiB, available 8672 MiB",
        "insufficient_resources",
      ),
    );
    expect(consistencyFaults(config.snapshot)).toEqual([]);
  });

  test.each([
    {
      why: "with commit",
      more: { commit: true, instance_name: "a" },
      says: "Forthcoming generation and commiting are mutually exclusive",
    },
    {
      why: "of an import",
      more: { mode: "import" },
      says: "forthcoming instances can only be created, not imported",
    },
    {
      why: "of a mirror on one node",
      more: { disk_template: "drbd", disks: [{ size: 1024 }], pnode: "node1" },
      says: "The networked disk templates need a mirror node",
    },
  ])("$why makes no sense", async ({ more, says }) => {
    expect((await reserved(more)).made.result).toEqual(refused(says, "wrong_input"));
  });

  test("a reservation refuses hypervisor parameters that no enabled hypervisor accepts", async () => {
    const { made } = await reserved({ hvparams: { kernel_path: "kernel" } });
    expect(made.result).toMatchObject([
      "HypervisorError",
      [expect.stringContaining("Parameter 'kernel_path' fails syntax check")],
    ]);
  });

  test("a reservation without a hypervisor holds only memory that its node has free", async () => {
    const { made } = await reserved({
      beparams: { memory: 32_000 },
      pnode: "node1",
      snode: "node2",
    });
    expect(made.result).toEqual(
      refused(
        "Not enough memory on node node1.example.com for creating instance without a name:" +
          " needed 32000 MiB, available 28672 MiB",
        "insufficient_resources",
      ),
    );
  });

  test("a reservation becomes real with its stored values and those of the commit", async () => {
    const { run, uuid, config, nodes, volumesOn, runningOn } = await reserved({
      beparams: { memory: 20000 },
      disks: [{ size: 2048 }],
      disk_template: "drbd",
      nics: [{}],
      tags: ["kept"],
    });
    const commit = { ...create, commit: true, instance_name: uuid };
    expect((await run(commit)).result).toEqual(
      refused(`Instance ${uuid} cannot be created, missing parameters: name, os`, "wrong_input"),
    );
    const before = config.snapshot.expectInstance(uuid);
    const rename = {
      OP_ID: "OP_INSTANCE_RENAME",
      instance_name: uuid,
      new_name: "web1.example.com",
    };
    expect((await run(rename)).result).toBe("web1.example.com");
    const named = { ...commit, os_type: "noop+default", hypervisor: "kvm", wait_for_sync: false };
    const { status, result, log } = await run(named);
    expect({ status, result }).toEqual({
      status: "success",
      result: ["node2.example.com", "node1.example.com"],
    });
    expect(log[0]).toBe(
      " - INFO: Nodes of instance web1.example.com: ['node2.example.com', 'node1.example.com']",
    );
    const after = config.snapshot.expectInstance("web1");
    expect(after).toMatchObject({
      uuid,
      disks: before.disks,
      admin_state: "up",
      tags: ["kept"],
      primary_node: nodes[1],
      nics: [{ mac: before.nics[0]?.mac }],
    });
    expect(after.forthcoming).toBeUndefined();
    expect([volumesOn(1).length, volumesOn(2).length, runningOn(2)]).toEqual([
      ...[2, 2, ["web1.example.com"]],
    ]);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
    expect((await run(named)).result).toEqual(
      refused(
        `Instance web1.example.com (with uuid ${uuid}) not forthcoming but --commit was passed.`,
        "wrong_state",
      ),
    );
  });

  test("a reservation becomes real with other disks and NICs than stored, if they fit", async () => {
    const { run, uuid, config, volumesOn } = await reserved({
      instance_name: "web1.example.com",
      beparams: { memory: 512 },
      nics: [{}, {}],
      disks: [{ size: 1024, name: "root" }],
      disk_template: "drbd",
      hypervisor: "kvm",
    });
    const [first] = config.snapshot.expectInstance(uuid).nics;
    const commit = { ...create, commit: true, instance_name: "web1", os_type: "noop+default" };
    const disks = [{ size: 2048 }, { size: 4096 }];
    expect((await run({ ...commit, disks: [...disks, { size: 600_000 }] })).result).toMatchObject([
      "OpPrereqError",
      [expect.stringContaining("Not enough disk space"), "insufficient_resources"],
    ]);
    expect(config.snapshot.disksOf(config.snapshot.expectInstance(uuid))).toHaveLength(1);
    const more = { disks, nics: [{ ip: "192.0.2.50" }], wait_for_sync: false };
    expect((await run({ ...commit, ...more })).status).toBe("success");
    const real = config.snapshot.expectInstance("web1");
    expect(real).toMatchObject({ uuid, nics: [{ mac: first?.mac, ip: "192.0.2.50" }] });
    expect(real.nics).toHaveLength(1);
    expect(config.snapshot.disksOf(real)).toMatchObject([
      { size: 2048, name: "root", dev_type: "drbd" },
      { size: 4096, dev_type: "drbd" },
    ]);
    expect([volumesOn(1).length, volumesOn(2).length]).toEqual([4, 4]);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
  });

  test("a reservation becomes real after its node has moved to a group without its network", async () => {
    const { run, config } = await simulatedCluster();
    const expectDone = async (opcode: JsonObject) =>
      expect(await run(opcode)).toMatchObject({ status: "success" });
    const group = { group_name: "default", network_mode: "routed", network_link: "100" };
    await expectDone({ OP_ID: "OP_NETWORK_ADD", network_name: "net1", network: "198.51.100.0/29" });
    await expectDone({ OP_ID: "OP_NETWORK_CONNECT", network_name: "net1", ...group });
    await expectDone({ OP_ID: "OP_GROUP_ADD", group_name: "spare" });
    await expectDone({
      ...create,
      forthcoming: true,
      instance_name: "web1.example.com",
      pnode: "node1.example.com",
      disk_template: "plain",
      disks: [{ size: 1024 }],
      nics: [{ network: "net1", ip: "pool" }],
      os_type: "noop+default",
      hypervisor: "kvm",
    });
    const moved = { group_name: "spare", nodes: ["node1.example.com"], force: true };
    await expectDone({ OP_ID: "OP_GROUP_ASSIGN_NODES", ...moved });
    const commit = { ...create, commit: true, instance_name: "web1.example.com" };
    const elsewhere = [{ network: "net1", ip: "198.51.100.5" }, { network: "net1" }];
    expect((await run({ ...commit, nics: elsewhere })).result).toEqual(
      refused("No netparams found for the network net1, probably not connected", "wrong_input"),
    );
    await expectDone(commit);
    expect(config.snapshot.expectInstance("web1").nics).toMatchObject([
      { ip: "198.51.100.1", nicparams: { mode: "routed", link: "100" } },
    ]);
  });

  test("a commit accepts NICs that repeat the stored values and refuses invalid ones", async () => {
    const { run, config } = await simulatedCluster();
    const web1 = { instance_name: "web1.example.com", hypervisor: "kvm", os_type: "noop+default" };
    const disk = { disks: [{ size: 1024 }], disk_template: "plain", pnode: "node1.example.com" };
    await run({ ...create, ...web1, ...disk, forthcoming: true, nics: [{}] });
    const [{ mac = "" } = {}] = config.snapshot.expectInstance("web1").nics;
    const commit = { ...create, instance_name: "web1", commit: true };
    expect((await run({ ...commit, nics: [{ ip: "bad" }] })).result).toEqual(
      refused("Invalid IP address 'bad'", "wrong_input"),
    );
    expect(await run({ ...commit, nics: [{ mac }] })).toMatchObject({ status: "success" });
    expect(config.snapshot.expectInstance("web1").nics).toMatchObject([{ mac, nicparams: {} }]);
  });

  test("a commit names the required NICs that cannot be guessed", async () => {
    const cluster = await simulatedCluster();
    const { run, config, put } = cluster;
    const { cluster: before } = config.snapshot;
    const nicparams = { default: { ...before.nicparams.default, mode: "routed" as const } };
    await put({ kind: "cluster", object: { ...before, nicparams } });
    const web1 = { instance_name: "web1.example.com", hypervisor: "kvm", os_type: "noop+default" };
    const disk = { disks: [{ size: 1024 }], disk_template: "plain" };
    const made = await run({ ...create, ...web1, ...disk, forthcoming: true });
    expect((await run({ ...create, instance_name: "web1", commit: true })).result).toEqual(
      refused(`Instance ${made.result} cannot be created, missing parameters: nics`, "wrong_input"),
    );
  });

  test("a reservation gets new names for volumes that a failed commit leaves on a node", async () => {
    const { run, config, simulated } = await simulatedCluster({
      cluster: { prealloc_wipe_disks: true },
    });
    const web1 = { instance_name: "web1.example.com", hypervisor: "kvm", os_type: "noop+default" };
    const disk = { disks: [{ size: 1024 }], disk_template: "plain", pnode: "node1.example.com" };
    await run({ ...create, ...web1, ...disk, forthcoming: true, nics: [] });
    const disks = () => config.snapshot.disksOf(config.snapshot.expectInstance("web1"));
    const nameNow = () => String(disks()[0]?.logical_id?.[1]);
    const before = nameNow();
    simulated.fail({ kind: "refused", call: "blockdev_wipe", times: 1 });
    simulated.fail({ kind: "refused", call: "blockdev_remove", times: 1 });
    const commit = { ...create, instance_name: "web1", commit: true };
    expect((await run(commit)).result).toEqual(
      failed("There are some degraded disks for this instance"),
    );
    expect(nameNow()).toMatch(/^[\da-f-]{36}\.disk0$/);
    expect(nameNow()).not.toBe(before);
    // The claim keeps the former name until the volume is gone.
    const claimed = [...config.snapshot.claims()].flatMap(devicesOfClaim);
    expect(claimed.map(({ logical_id }) => logical_id?.[1])).toEqual([before]);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
    expect(await run(commit)).toMatchObject({ status: "success" });
  });

  test("memory of a committed instance stays reserved until it runs", async () => {
    let inBetween: () => Promise<void> = async () => {};
    const { run, queue, config, runningOn } = await simulatedCluster({
      between: (nodes) => ({
        introduce: (node) => nodes.introduce(node),
        async call(node, name, args, caller) {
          if (name === "instance_os_add") await inBetween();
          return nodes.call(node, name, args, caller);
        },
      }),
    });
    const web1 = {
      ...create,
      instance_name: "web1.example.com",
      pnode: "node1.example.com",
      nics: [{}],
      beparams: { memory: 20000 },
      disks: [{ size: 1024 }],
      disk_template: "plain",
      os_type: "noop+default",
      hypervisor: "kvm",
    };
    expect((await run({ ...web1, forthcoming: true })).status).toBe("success");
    let meanwhile: unknown;
    inBetween = async () => {
      inBetween = async () => {};
      const web2 = { instance_name: "web2.example.com", mode: "create" };
      const id = await queue.submit([{ ...web1, ...web2, beparams: { memory: 12000 } }]);
      await vi.waitFor(async () => {
        const [row] = await queue.query([id], ["status", "opresult"]);
        expect(row?.[0]).toBe("error");
        [meanwhile] = (row?.[1] ?? []) as Json[];
      }, 300_000);
    };
    expect((await run({ ...web1, commit: true })).status).toBe("success");
    expect(meanwhile).toEqual(
      refused(
        "Not enough memory on node node1.example.com for creating instance web2.example.com:" +
          " needed 12000 MiB, available 11744 MiB",
        "insufficient_resources",
      ),
    );
    expect(runningOn(1)).toEqual(["web1.example.com"]);
    expect([...config.snapshot.claims()]).toEqual([]);
  });

  test("a failed commit leaves the reservation unchanged", async () => {
    const { run, uuid, config, simulated, volumesOn } = await reserved({
      beparams: { memory: 512 },
      disks: [{ size: 2048 }],
      disk_template: "plain",
      instance_name: "web1.example.com",
      os_type: "noop+default",
      hypervisor: "kvm",
      nics: [{}],
    });
    simulated.fail({ kind: "refused", call: "blockdev_create", times: 1 });
    const commit = { ...create, commit: true, instance_name: "web1.example.com" };
    expect((await run(commit)).status).toBe("error");
    expect(config.snapshot.expectInstance("web1")).toMatchObject({ forthcoming: true, uuid });
    expect(volumesOn(1)).toEqual([]);
    expect((await run(commit)).status).toBe("success");
  });

  test("a commit is refused while devices of a dead job's commit are still to be removed", async () => {
    const { run, uuid, config, simulated, volumesOn } = await reserved({
      beparams: { memory: 512 },
      disks: [{ size: 2048 }],
      disk_template: "plain",
      instance_name: "web1.example.com",
      os_type: "noop+default",
      hypervisor: "kvm",
      nics: [{}],
    });
    await config.change((now) => ({
      changes: [claimOfDead(now, uuid)],
      value: undefined,
    }));
    const commit = { ...create, commit: true, instance_name: "web1.example.com" };
    expect((await run(commit)).result).toEqual(
      refused(
        "Leftovers of job 999 of instance web1.example.com are not removed yet, try again later",
        "temp_insufficient_resources",
      ),
    );
    expect(volumesOn(1)).toEqual([]);
    const { signal } = new AbortController();
    await recoverHeld({ config, nodes: simulated, lease: "", signal }, async () => true);
    expect((await run(commit)).status).toBe("success");
  });

  test.each<JsonObject>([
    { OP_ID: "OP_INSTANCE_REMOVE" },
    { OP_ID: "OP_INSTANCE_RENAME", new_name: "web2.example.com", name_check: false },
    { OP_ID: "OP_INSTANCE_SET_PARAMS", disks: [["add", { size: 1024 }]] },
    { OP_ID: "OP_INSTANCE_FAILOVER" },
    { OP_ID: "OP_INSTANCE_REPLACE_DISKS", mode: "replace_on_secondary" },
  ])(
    "stays as it is, for $OP_ID, while what a dead job made of it is still to be removed",
    async (op) => {
      const { run, uuid, config } = await reserved({
        beparams: { memory: 512 },
        disks: [{ size: 2048 }],
        disk_template: "drbd",
        instance_name: "web1.example.com",
        pnode: "node1",
        snode: "node2",
      });
      const { snapshot } = await config.change((now) => ({
        changes: [claimOfDead(now, uuid)],
        value: undefined,
      }));
      expect((await run({ ...op, instance_name: "web1.example.com" })).result).toEqual(
        refused(
          "Leftovers of job 999 of instance web1.example.com are not removed yet, try again later",
          "temp_insufficient_resources",
        ),
      );
      expect(config.snapshot.serial).toBe(snapshot.serial);
    },
  );

  test("removing a reservation releases all its resources", async () => {
    const { run, uuid, config } = await reserved({
      beparams: { memory: 512 },
      disks: [{ size: 2048 }],
      disk_template: "drbd",
    });
    expect((await run({ OP_ID: "OP_INSTANCE_REMOVE", instance_name: uuid })).status).toBe(
      "success",
    );
    const { snapshot } = config;
    expect([[...snapshot.instances()], [...snapshot.disks()]]).toEqual([[], []]);
    expect(snapshot.cluster.tcpudp_port_pool).toEqual([11000]);
  });
});
