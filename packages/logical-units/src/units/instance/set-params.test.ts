import { consistencyFaults } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { faultsAtRest } from "../../../test/support/invariants.js";
import { simulatedCluster } from "../../../test/support/simulated.js";

async function stage(more: JsonObject = {}, nodeCount = 2) {
  const cluster = await simulatedCluster({ nodeCount, cluster: { volume_group_name: "xenvg" } });
  const made = await cluster.run({
    ...{ OP_ID: "OP_INSTANCE_CREATE", instance_name: "web1.example.com", mode: "create" },
    ...{ os_type: "noop+default", disk_template: "plain", disks: [{ size: 1024 }], nics: [{}] },
    ...{ pnode: "node1.example.com", start: false, no_install: true, ...more },
  });
  const name = more.forthcoming === true ? String(made.result) : "web1.example.com";
  const modify = (given: JsonObject) =>
    cluster.run({ OP_ID: "OP_INSTANCE_SET_PARAMS", instance_name: name, ...given });
  const about = () => cluster.config.snapshot.expectInstance(name);
  const rest = () => faultsAtRest(cluster.config.snapshot, cluster.simulated);
  return { ...cluster, modify, about, rest };
}
const refused = (message: unknown, code: string) => ["OpPrereqError", [message, code]];

describe("parameters", () => {
  test("are set, and `default` takes them away", async () => {
    const { modify, about } = await stage();
    expect(
      await modify({ beparams: { maxmem: "256", vcpus: 2 }, hvparams: { acpi: "false" } }),
    ).toEqual({
      ...{ status: "success", log: [] },
      result: [
        ["hv/acpi", "false"],
        ["be/maxmem", "256"],
        ["be/vcpus", 2],
      ],
    });
    expect(about()).toMatchObject({
      beparams: { maxmem: 256, vcpus: 2 },
      hvparams: { acpi: false },
    });
    await modify({ beparams: { vcpus: "default" }, hvparams: { acpi: "default" } });
    expect(about()).toMatchObject({ beparams: { maxmem: 256 }, hvparams: {} });
    await modify({ beparams: { maxmem: 333 } });
    expect(about().beparams).toEqual({ maxmem: 336 });
    // The one word for both bounds wins.
    await modify({ beparams: { memory: 512, maxmem: 1024 } });
    expect(about().beparams).toEqual({ maxmem: 512, minmem: 512 });
  });

  test.each([
    { why: "nothing to change", given: {}, says: refused("No changes submitted", "wrong_input") },
    {
      why: "an unknown one",
      given: { beparams: { nosuch: 1 } },
      says: ["TypeEnforcementError", ["Unknown parameter 'nosuch'"]],
    },
    {
      why: "a size below nothing",
      given: { beparams: { memory: -1 } },
      says: [
        ...["TypeEnforcementError"],
        ["'maxmem' (value -1) is not a valid size. error: Invalid format"],
      ],
    },
    {
      why: "a size in a unit that there is not",
      given: { beparams: { maxmem: "128k" } },
      says: [
        ...["TypeEnforcementError"],
        ["'maxmem' (value 128k) is not a valid size. error: Unknown unit: k"],
      ],
    },
    {
      why: "one of another hypervisor",
      given: { hvparams: { bootloader_path: "/bin/grub" } },
      says: ["HypervisorError", ["Parameter 'bootloader_path' is not supported"]],
    },
    {
      why: "a value that no hypervisor would take",
      given: { hvparams: { kernel_path: "kernel" } },
      says: [
        "HypervisorError",
        [
          "Parameter 'kernel_path' fails syntax check: must be an absolute normalized path" +
            " (current value: 'kernel')",
        ],
      ],
    },
    {
      why: "CPUs for other vcpus than there are",
      given: { hvparams: { cpu_mask: "0:1:2" }, beparams: { vcpus: 2 } },
      says: refused("Number of vCPUs [2] does not match the CPU mask [0:1:2]", "wrong_input"),
    },
    {
      why: "a node and an allocator",
      given: { disk_template: "drbd", remote_node: "node2", iallocator: "hail" },
      says: refused("Do not specify both, iallocator and node", "wrong_input"),
    },
    {
      why: "spindles where they are shared",
      given: { disks: [["add", -1, { size: 1024, spindles: 1 }]] },
      says: refused(
        "Spindles in instance disks cannot be specified when exclusive storage is not active",
        "wrong_input",
      ),
    },
    {
      why: "more memory than there is",
      given: { beparams: { maxmem: 32000 } },
      says: refused(
        "This change will prevent the instance from starting, due to 256 MB of memory missing on" +
          " its primary node",
        "insufficient_resources",
      ),
    },
    {
      why: "bounds the wrong way round",
      given: { beparams: { minmem: 1024, maxmem: 512 } },
      says: refused("minmem (1024) must not be larger than maxmem (512)", "wrong_input"),
    },
    {
      why: "what the policy forbids",
      given: { beparams: { vcpus: 99 } },
      says: refused(
        expect.stringContaining("cpu-count value 99 is not in range [1, 8]"),
        "wrong_input",
      ),
    },
    {
      why: "a balloon for what does not run",
      given: { runtime_mem: 128 },
      says: refused("Instance web1.example.com is not running", "wrong_state"),
    },
  ])("are refused: $why", async ({ given, says }) => {
    const { modify, config } = await stage();
    const before = config.snapshot.serial;
    expect((await modify(given)).result).toEqual(says);
    expect(config.snapshot.serial).toBe(before);
  });

  test("of a running instance: its memory grows within its bounds", async () => {
    const { modify, simulated, nodes } = await stage({
      start: true,
      no_install: null,
      beparams: { maxmem: 1024, minmem: 256 },
    });
    expect((await modify({ runtime_mem: 512 })).result).toEqual([["runtime_memory", 512]]);
    expect(simulated.stateOf(nodes[0] ?? "")?.instances["web1.example.com"]?.memoryMib).toBe(512);
    expect((await modify({ runtime_mem: 4096 })).result).toEqual(
      refused(
        "Instance web1.example.com must have memory between 256 and 1024 MB of memory unless" +
          " --force is given",
        "wrong_input",
      ),
    );
  });

  test("say that an instance is not to be run at all", async () => {
    const { modify, about } = await stage();
    expect((await modify({ offline: true })).result).toEqual([["admin_state", "offline"]]);
    expect(about().admin_state).toBe("offline");
    expect((await modify({ offline: false })).result).toEqual([["admin_state", "down"]]);
  });
});

describe("NICs", () => {
  test("are added, changed and removed", async () => {
    const { modify, about, rest } = await stage();
    const { result } = await modify({ nics: [["add", -1, { ip: "192.0.2.77", name: "lan" }]] });
    expect(result).toEqual([
      [
        "nic.1",
        expect.stringMatching(
          /^add:mac=aa:00:00:.*,ip=192.0.2.77,mode=bridged,link=xen-br0,network=None$/,
        ),
      ],
    ]);
    expect((await modify({ nics: [["modify", "lan", { ip: "none" }]] })).result).toEqual([
      ["nic.ip/1", null],
      ["nic.link/1", "xen-br0"],
      ["nic.mode/1", "bridged"],
      ["nic.vlan/1", ""],
    ]);
    expect((await modify({ nics: [["remove", 0, {}]] })).result).toEqual([["NIC/0", "remove"]]);
    // It has all parameters of its own now.
    const nicparams = { mode: "bridged", link: "xen-br0", vlan: "" };
    expect(about().nics).toMatchObject([{ name: "lan", nicparams }]);
    const last = { nics: [["remove", -1, {}]], ignore_ipolicy: true };
    expect((await modify(last)).result).toEqual([["NIC/0", "remove"]]);
    expect((await modify(last)).result).toEqual(["OpExecError", ["list index out of range"]]);
    expect(rest()).toEqual([]);
  });

  test("that cannot be are refused", async () => {
    const { modify, about } = await stage();
    const [first] = about().nics;
    expect((await modify({ nics: [["add", -1, { mac: first?.mac ?? "" }]] })).result).toEqual(
      refused(`MAC address '${first?.mac}' already in use in cluster`, "resource_not_unique"),
    );
    expect((await modify({ nics: [["modify", "nosuch", {}]] })).result).toEqual(
      refused("Cannot find NIC with identifier nosuch", "unknown_entity"),
    );
    expect((await modify({ nics: [["add", -1, { name: "12" }]] })).result).toEqual(
      refused("Invalid name '12'. Purely numeric NIC names are not allowed", "wrong_input"),
    );
    expect((await modify({ nics: [["add", -1, { name: first?.uuid ?? "" }]] })).result).toEqual(
      refused(`NIC name '${first?.uuid}' already used`, "resource_not_unique"),
    );
    expect((await modify({ nics: [["modify", 5, {}]] })).result).toEqual([
      ...["OpExecError", ["Got NIC index 5, but there are only 1"]],
    ]);
  });

  test.each([
    { given: { mac: "00:00:00" }, says: "Invalid MAC address '00:00:00'" },
    {
      given: { mac: "auto" },
      says: "'auto' is not a valid MAC address when modifying an existing NIC",
    },
    { given: { ip: "bad.ip" }, says: "Invalid IP address 'bad.ip'" },
    {
      given: { network: "lan", mode: "routed" },
      says: "If network is given mode or link should not",
    },
  ])("are not looked for if what is said makes no sense: $says", async ({ given, says }) => {
    const { modify } = await stage();
    expect((await modify({ nics: [["modify", 5, given]] })).result).toEqual(
      refused(says, "wrong_input"),
    );
  });

  test("of a network get another address of its pool, not theirs again", async () => {
    const { modify, about, run } = await stage();
    await run({ OP_ID: "OP_NETWORK_ADD", network_name: "lan", network: "192.0.2.0/29" });
    await run({
      ...{ OP_ID: "OP_NETWORK_CONNECT", network_name: "lan", group_name: "default" },
      ...{ network_mode: "bridged", network_link: "xen-br0" },
    });
    const modifyFirst = (given: Record<string, string>) => modify({ nics: [["modify", 0, given]] });
    expect((await modifyFirst({ network: "lan", ip: "pool" })).status).toBe("success");
    expect(await modifyFirst({ ip: "pool" })).toMatchObject({
      status: "success",
      log: [" - INFO: Chose IP 192.0.2.4 from network lan"],
    });
    expect(about().nics).toMatchObject([{ ip: "192.0.2.4" }]);
    expect((await modifyFirst({ ip: "192.0.2.99" })).result).toEqual(
      refused("IP 192.0.2.99 not available in network lan", "resource_not_unique"),
    );
    expect((await modifyFirst({ network: "none", ip: "pool" })).result).toEqual(
      refused("ip=pool, but no network found", "wrong_input"),
    );
  });
});

describe("disks", () => {
  test("are added, named, detached, attached and removed", async () => {
    const { modify, about, config, volumesOn, rest } = await stage();
    // A size is a multiple of 4.
    const added = await modify({ disks: [["add", 0, { size: 2046, name: "data" }]] });
    expect(added).toMatchObject({
      status: "success",
      result: [["disk/0", "add:size=2048,mode=rw"]],
    });
    expect(volumesOn(1)).toHaveLength(2);
    expect(config.snapshot.disksOf(about())).toMatchObject([
      { name: "data", iv_name: "disk/0" },
      { iv_name: "disk/1" },
    ]);
    const [uuid = ""] = about().disks;
    expect((await modify({ disks: [["modify", "data", { mode: "ro" }]] })).result).toEqual([
      ...[["disk.mode/0", "ro"]],
    ]);
    expect((await modify({ disks: [["detach", 0, {}]] })).result).toEqual([["disk/0", "detach"]]);
    expect(about().disks).toHaveLength(1);
    expect((await modify({ disks: [["attach", -1, { uuid }]] })).result).toEqual([
      ...[["disk/1", "attach:size=2048,mode=ro"]],
    ]);
    expect((await modify({ disks: [["remove", 1, {}]] })).result).toEqual([["disk/1", "remove"]]);
    expect([about().disks.length, volumesOn(1).length, rest()]).toEqual([1, 1, []]);
  });

  test("that cannot be are refused, and a failure leaves nothing behind", async () => {
    const { modify, simulated, rest } = await stage();
    expect((await modify({ disks: [["add", -1, { size: 600_000 }]] })).result).toEqual(
      refused(
        "Not enough disk space on target node node1.example.com vg xenvg: required 600000 MiB," +
          " available 510976 MiB",
        "insufficient_resources",
      ),
    );
    expect((await modify({ disks: [["modify", 0, { size: 1 }]] })).result).toEqual(
      refused("Disk size change not possible, use grow-disk", "wrong_input"),
    );
    // What is said comes before which disk is meant.
    expect((await modify({ disks: [["add", 9, { name: "data" }]] })).result).toEqual(
      refused("Required disk parameter 'size' missing", "wrong_input"),
    );
    expect((await modify({ disks: [["modify", 0, { spindles: 1 }]] })).result).toEqual([
      ...["TypeEnforcementError", ["Unknown parameter 'spindles'"]],
    ]);
    simulated.fail({ kind: "refused", call: "blockdev_create", times: 1 });
    expect((await modify({ disks: [["add", -1, { size: 1024 }]] })).status).toBe("error");
    expect(rest()).toEqual([]);
  });

  test("become mirrored, and plain again", async () => {
    const { modify, about, config, volumesOn, rest, nodes } = await stage();
    expect(await modify({ disk_template: "plain", remote_node: "node2" })).toEqual({
      status: "error",
      result: refused("Instance already has disk template plain", "wrong_input"),
      log: [
        " - WARNING: Changing the disk template to a non-mirrored one, the secondary node will be ignored",
      ],
    });
    const mirrored = await modify({ disk_template: "drbd", remote_node: "node2.example.com" });
    expect(mirrored).toMatchObject({ status: "success", result: [["disk_template", "drbd"]] });
    expect(mirrored.log.slice(0, 4)).toEqual([
      "Converting disk template from 'plain' to 'drbd'",
      "Creating additional volumes...",
      "Renaming original volumes...",
      "Initializing DRBD devices...",
    ]);
    expect(config.snapshot.disksOf(about())).toMatchObject([{ dev_type: "drbd", nodes }]);
    expect([volumesOn(1).length, volumesOn(2).length, rest()]).toEqual([2, 2, []]);
    const plain = await modify({ disk_template: "plain" });
    expect(plain).toMatchObject({ status: "success", result: [["disk_template", "plain"]] });
    expect([volumesOn(1).length, volumesOn(2).length, rest()]).toEqual([1, 0, []]);
  });

  test("stay plain when the mirror cannot be made", async () => {
    const { modify, about, config, simulated, rest, nodes } = await stage();
    simulated.fail({
      kind: "refused",
      call: "blockdev_create",
      node: nodes[1] ?? "",
      after: 2,
      times: 1,
    });
    const { status } = await modify({ disk_template: "drbd", remote_node: "node2.example.com" });
    expect(status).toBe("error");
    expect(config.snapshot.disksOf(about())).toMatchObject([{ dev_type: "plain" }]);
    expect(rest()).toEqual([]);
  });
});

describe("another primary, because somebody has moved the disks by hand", () => {
  test("has those that are on one node alone", async () => {
    const { modify, about, config, nodes } = await stage();
    expect((await modify({ pnode: "node2.example.com" })).status).toBe("success");
    expect(about().primary_node).toBe(nodes[1]);
    expect(config.snapshot.disksOf(about())).toMatchObject([{ nodes: [nodes[1]] }]);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
  });

  test("is one of the nodes that mirrored ones have", async () => {
    const mirrored = { disk_template: "drbd", snode: "node2.example.com" };
    const { modify, about, config, nodes } = await stage(mirrored, 3);
    expect((await modify({ pnode: "node3.example.com", force: true })).result).toEqual(
      refused(
        "Disk 0 of instance web1.example.com is on node1.example.com and node2.example.com," +
          " not on node3.example.com",
        "wrong_input",
      ),
    );
    expect((await modify({ pnode: "node2.example.com" })).status).toBe("success");
    expect(about().primary_node).toBe(nodes[1]);
    expect(config.snapshot.disksOf(about())).toMatchObject([{ nodes: nodes.slice(0, 2) }]);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
  });
});

describe("a reservation", () => {
  test("changes in every way, on the account of its nodes", async () => {
    const { modify, about, config, rest, nodes } = await stage({
      ...{ forthcoming: true, beparams: { memory: 1024 }, start: true, no_install: null },
    });
    const bigger = await modify({
      disks: [["modify", 0, { size: 4096 }]],
      beparams: { memory: 2048 },
    });
    expect(bigger).toMatchObject({
      status: "success",
      result: [
        ["disk.size/0", 4096],
        ["be/memory", 2048],
      ],
    });
    const [uuid] = about().disks;
    expect((await modify({ pnode: "node2.example.com" })).status).toBe("success");
    expect(about()).toMatchObject({ primary_node: nodes[1], disks: [uuid] });
    expect((await modify({ disk_template: "drbd", remote_node: "node1" })).status).toBe("success");
    expect(config.snapshot.disksOf(about())).toMatchObject([
      { dev_type: "drbd", size: 4096, nodes: [nodes[1], nodes[0]], forthcoming: true },
    ]);
    expect((await modify({ disks: [["add", -1, { size: 600_000 }]] })).result).toEqual(
      refused(
        expect.stringContaining("required 604352 MiB, available 512000 MiB"),
        "insufficient_resources",
      ),
    );
    expect((await modify({ disks: [["remove", 0, {}]] })).status).toBe("success");
    expect([about().disks, rest(), consistencyFaults(config.snapshot)]).toEqual([[], [], []]);
    expect(config.snapshot.cluster.tcpudp_port_pool).toHaveLength(1);
  });

  test("has no memory that could grow", async () => {
    const { modify } = await stage({ forthcoming: true });
    expect((await modify({ runtime_mem: 512 })).result).toEqual(
      refused("forthcoming instances not supported for this operation", "wrong_state"),
    );
  });
});
