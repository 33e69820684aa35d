import type { NodeUuid } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { adding, aMirroredDisk, anInstance, aPlainDisk } from "../../test/support/instances.js";
import { failed, refused } from "../../test/support/results.js";
import { simulatedCluster } from "../../test/support/simulated-cluster.js";

const fields = ["node", "type", "name", "size", "used", "free", "allocatable"];
const caller = { lease: "1:1", signal: new AbortController().signal };

describe("listing storage units", () => {
  test("storage units are listed by node and name, with the fields in the requested order", async () => {
    const { run } = await simulatedCluster({ nodeCount: 2 });
    const op = { OP_ID: "OP_NODE_QUERY_STORAGE", output_fields: fields, storage_type: "lvm-pv" };
    expect((await run(op)).result).toEqual([
      ["node1.example.com", "lvm-pv", "/dev/sda", 20000, 0, 20000, true],
      ["node1.example.com", "lvm-pv", "/dev/sdb", 10000, 0, 10000, true],
      ["node2.example.com", "lvm-pv", "/dev/sda", 20000, 0, 20000, true],
      ["node2.example.com", "lvm-pv", "/dev/sdb", 10000, 0, 10000, true],
    ]);
    const named = { ...op, nodes: ["node2"], name: "/dev/sdb", output_fields: ["free"] };
    expect((await run(named)).result).toEqual([[10000]]);
  });

  test("the default storage type is that of the first enabled disk template", async () => {
    const { run } = await simulatedCluster({ nodeCount: 1 });
    const op = { OP_ID: "OP_NODE_QUERY_STORAGE", output_fields: ["name", "size"] };
    expect((await run(op)).result).toEqual([["xenvg", 30000]]);
    const diskless = await simulatedCluster({ initial: { diskTemplates: ["diskless"] } });
    expect((await diskless.run(op)).result).toEqual([
      "OpPrereqError",
      [
        "Storage reporting for storage type 'diskless' is not supported. Please use the --storage-type option to specify one of the supported storage types (file, sharedfile, lvm-pv, lvm-vg, gluster) or set the default disk template to one that supports storage reporting.",
      ],
    ]);
  });

  test("nodes that do not answer are left out of the list, with a warning", async () => {
    const { run, simulated, nodes } = await simulatedCluster({ nodeCount: 2 });
    await simulated.powerOff(nodes[0] as string);
    const ran = await run({ OP_ID: "OP_NODE_QUERY_STORAGE", output_fields: ["node"] });
    expect(ran.result).toEqual([["node2.example.com"]]);
    expect(ran.log).toEqual([
      " - WARNING: Can't get storage data from node node1.example.com: Error 7: Failed to connect to node1.example.com port 1811: Connection refused",
    ]);
  });

  test("unused storage types and unknown fields are refused", async () => {
    const { run } = await simulatedCluster();
    const op = { OP_ID: "OP_NODE_QUERY_STORAGE", output_fields: ["name"], storage_type: "file" };
    expect((await run(op)).result).toEqual([
      "OpPrereqError",
      [
        "No disk template of storage type 'file' is enabled in this cluster. Enabled disk templates are: drbd,plain",
      ],
    ]);
    expect((await run({ ...op, output_fields: ["name", "a", "b"] })).result).toEqual(
      refused("Unknown output fields selected: a,b", "wrong_input"),
    );
  });
});

describe("modification of storage units", () => {
  const op = {
    OP_ID: "OP_NODE_MODIFY_STORAGE",
    node_name: "node1",
    storage_type: "lvm-pv",
    name: "/dev/sda",
    changes: { allocatable: false },
  };

  test("a physical volume can be closed for new disks", async () => {
    const { run, simulated, nodes } = await simulatedCluster();
    expect(await run(op)).toMatchObject({ status: "success", result: null });
    const state = simulated.stateOf(nodes[0] as string);
    expect(state?.volumeGroups.xenvg?.physicalVolumes["/dev/sda"]?.allocatable).toBe(false);
  });

  test.each([
    [{ storage_type: "lvm-vg" }, "Storage units of type 'lvm-vg' can not be modified"],
    [
      { changes: { size: 5 } },
      "The following fields can not be modified for storage units of type 'lvm-pv': ['size']",
    ],
  ])("%j is refused", async (change, message) => {
    const { run } = await simulatedCluster();
    expect((await run({ ...op, ...change })).result).toEqual(refused(message, "wrong_input"));
  });

  test("a modification fails with the node's message, and a dry run does not call the node", async () => {
    const { run } = await simulatedCluster();
    const wrong = { ...op, name: "/dev/sdz" };
    expect((await run(wrong)).result).toEqual(
      failed(
        "Failed to modify storage unit '/dev/sdz' on node1.example.com: Failed to modify physical volume, pvchange output:   Failed to find physical volume \"/dev/sdz\".",
      ),
    );
    expect((await run({ ...wrong, dry_run: true })).status).toBe("success");
  });

  test("a modification names the node and unit it is about", async () => {
    const { run } = await simulatedCluster();
    const ran = await run({ ...op, node_uuid: "another" });
    expect(ran.result).toMatchObject(refused(expect.anything(), "resource_not_unique"));
  });
});

describe("repair of volume groups", () => {
  const op = {
    OP_ID: "OP_REPAIR_NODE_STORAGE",
    node_name: "node1",
    storage_type: "lvm-vg",
    name: "xenvg",
  };

  /** A cluster with a mirrored instance on node1 and node2, and a plain one on node1, unless it is absent. */
  async function stage(plainState: "active" | "stopped" | "absent", mirrorIsActive = true) {
    const cluster = await simulatedCluster();
    const { put, simulated, nodes } = cluster;
    const [a, b] = nodes as [NodeUuid, NodeUuid];
    const mirrored = aMirroredDisk(10, [a, b]);
    const plain = aPlainDisk(20, a);
    for (const node of [b, a]) {
      const create = (disk: typeof mirrored | typeof plain, size: number) =>
        simulated.call(
          node,
          "blockdev_create",
          {
            disk: disk as never,
            sizeMib: size,
            owner: "o",
            onPrimary: node === a,
            info: "",
            exclusiveStorage: false,
          },
          caller,
        );
      for (const child of mirrored.children) await create(child as never, child.size);
      if (mirrorIsActive) await create(mirrored, mirrored.size);
      if (node === a && plainState !== "absent") await create(plain, plain.size);
    }
    await put(
      ...adding(anInstance(1, { primary_node: a, disks_active: mirrorIsActive }), [mirrored]),
      ...(plainState === "absent"
        ? []
        : adding(anInstance(2, { primary_node: a, disks_active: plainState === "active" }), [
            plain,
          ])),
    );
    return { ...cluster, a, b, mirrored };
  }

  test("a repair discards missing volumes if there are good copies elsewhere", async () => {
    const { run, simulated, a } = await stage("absent");
    await simulated.breakPhysicalVolume(a, "xenvg", "/dev/sda");
    const ran = await run(op);
    expect(ran).toMatchObject({
      status: "success",
      log: ["Repairing storage unit 'xenvg' on node1.example.com ..."],
    });
    const group = simulated.stateOf(a)?.volumeGroups.xenvg;
    expect(Object.keys(group?.physicalVolumes ?? {})).toEqual(["/dev/sdb"]);
    expect(group?.volumes).toEqual({});
  });

  test("a repair is refused while a copy elsewhere is faulty, unless consistency is ignored", async () => {
    const { run, simulated, b } = await stage("absent");
    await simulated.breakPhysicalVolume(b, "xenvg", "/dev/sda");
    const text = "Instance 'inst1.example.com' has faulty disks on node 'node2.example.com'";
    expect((await run(op)).result).toEqual(refused(text, "wrong_state"));
    const forced = await run({ ...op, ignore_consistency: true });
    expect(forced).toMatchObject({ status: "success" });
    expect(forced.log[0]).toBe(` - WARNING: ${text}`);
  });

  test.each(["active", "stopped"] as const)(
    "a repair is refused if the node has the only copy of an instance that is %s",
    async (state) => {
      const { run } = await stage(state);
      expect((await run(op)).result).toEqual(
        refused(
          "Instance 'inst2.example.com' has its only copy on node 'node1.example.com'",
          "wrong_state",
        ),
      );
      // Another volume group has no copy of it.
      const other = await run({ ...op, name: "othervg" });
      expect(JSON.stringify(other.result)).not.toContain("only copy");
    },
  );

  test("a repair looks for the other copy of a stopped mirror, which may be lost or out of reach", async () => {
    const whole = await stage("absent", false);
    expect(await whole.run(op)).toMatchObject({ status: "success" });
    const broken = await stage("absent", false);
    await broken.simulated.breakPhysicalVolume(broken.b, "xenvg", "/dev/sda");
    const faulty = "Instance 'inst1.example.com' has faulty disks on node 'node2.example.com'";
    expect((await broken.run(op)).result).toEqual(refused(faulty, "wrong_state"));
    const missing = await stage("absent", false);
    const [data] = missing.mirrored.children;
    await missing.simulated.call(missing.b, "blockdev_remove", { disk: data as never }, caller);
    const text = "Failed to get disk status from node node2.example.com: Can't find device";
    expect(JSON.stringify((await missing.run(op)).result)).toContain(text);
    const forced = await missing.run({ ...op, ignore_consistency: true });
    expect([forced.status, forced.log[0]]).toEqual(["success", expect.stringContaining(text)]);
  });

  test("only volume groups can be repaired", async () => {
    const { run } = await simulatedCluster();
    expect((await run({ ...op, storage_type: "lvm-pv" })).result).toEqual(
      refused("Storage units of type 'lvm-pv' can not be repaired", "wrong_input"),
    );
  });

  test("volumes are listed with their instances", async () => {
    const { run } = await stage("stopped");
    const output_fields = ["node", "phys", "vg", "name", "size", "instance"];
    const ran = await run({ OP_ID: "OP_NODE_QUERYVOLS", output_fields, nodes: ["node1"] });
    expect(ran.result).toEqual([
      ["node1.example.com", "/dev/sda", "xenvg", "lv11", "1024", "inst1.example.com"],
      ["node1.example.com", "/dev/sda", "xenvg", "lv12", "128", "inst1.example.com"],
      ["node1.example.com", "/dev/sda", "xenvg", "lv20", "1024", "inst2.example.com"],
    ]);
    expect((await run({ OP_ID: "OP_NODE_QUERYVOLS", output_fields: ["x"] })).result).toEqual(
      refused("Unknown output fields selected: x", "wrong_input"),
    );
  });
});
