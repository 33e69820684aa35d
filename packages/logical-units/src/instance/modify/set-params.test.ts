import { consistencyFaults } from "@ganeti-ts/config";
import { describe, expect, test } from "vitest";
import { modifiable } from "../../../test/support/modifiable.js";
import { refused } from "../../../test/support/results.js";

describe("modification of parameters", () => {
  test("are set, and `default` takes them away", async () => {
    const { modify, about } = await modifiable();
    expect(
      await modify({ beparams: { maxmem: "256", vcpus: 2 }, hvparams: { acpi: "false" } }),
    ).toEqual({
      status: "success",
      log: [],
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
    // `memory` overrides both bounds.
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
    const { modify, config } = await modifiable();
    const before = config.snapshot.serial;
    expect((await modify(given)).result).toEqual(says);
    expect(config.snapshot.serial).toBe(before);
  });

  test("the memory of a running instance changes within its bounds", async () => {
    const { modify, simulated, nodes } = await modifiable({
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

  test("an instance can be marked as not to be run", async () => {
    const { modify, about } = await modifiable();
    expect((await modify({ offline: true })).result).toEqual([["admin_state", "offline"]]);
    expect(about().admin_state).toBe("offline");
    expect((await modify({ offline: false })).result).toEqual([["admin_state", "down"]]);
  });
});

describe("modification of disks", () => {
  test("disks are added, renamed, detached, attached and removed", async () => {
    const { modify, about, config, volumesOn, rest } = await modifiable();
    // Sizes are rounded up to multiples of 4.
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

  test("invalid disk changes are refused, and a failed one leaves nothing behind", async () => {
    const { modify, simulated, rest } = await modifiable();
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
    // Parameters are checked before the device reference.
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

  test("plain disks are converted to mirrored ones and back", async () => {
    const { modify, about, config, volumesOn, rest, nodes } = await modifiable();
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

  test("disks stay plain if the mirror cannot be made", async () => {
    const { modify, about, config, simulated, rest, nodes } = await modifiable();
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

describe("a new primary for disks moved by hand", () => {
  test("a new primary gets the disks of an instance without mirrors", async () => {
    const { modify, about, config, nodes } = await modifiable();
    expect((await modify({ pnode: "node2.example.com" })).status).toBe("success");
    expect(about().primary_node).toBe(nodes[1]);
    expect(config.snapshot.disksOf(about())).toMatchObject([{ nodes: [nodes[1]] }]);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
  });

  test("a new primary of a mirrored instance must be one of its nodes", async () => {
    const mirrored = { disk_template: "drbd", snode: "node2.example.com" };
    const { modify, about, config, nodes } = await modifiable(mirrored, 3);
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

describe("modification of reservations", () => {
  test("every value of a reservation can be changed if its nodes have room", async () => {
    const { modify, about, config, rest, nodes } = await modifiable({
      forthcoming: true,
      beparams: { memory: 1024 },
      start: true,
      no_install: null,
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

  test("the runtime memory of a reservation cannot be changed", async () => {
    const { modify } = await modifiable({ forthcoming: true });
    expect((await modify({ runtime_mem: 512 })).result).toEqual(
      refused("forthcoming instances not supported for this operation", "wrong_state"),
    );
  });
});
