import { consistencyFaults } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { creation, exporting, succeeds } from "../../../test/support/exports.js";
import { failed, refused } from "../../../test/support/results.js";
import { simulatedCluster } from "../../../test/support/simulated.js";

const importing = (more: JsonObject = {}): JsonObject => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name: "web1.example.com",
  mode: "import",
  disk_template: "plain",
  disks: [],
  nics: [],
  pnode: "node1",
  start: false,
  ...more,
});
const removal = { OP_ID: "OP_INSTANCE_REMOVE", instance_name: "web1.example.com" };

/** A cluster with an export of web1 on node3; web1 itself is removed unless `keep`. */
async function stage({ keep = false, ...more }: { keep?: boolean; os?: string } = {}) {
  const cluster = await simulatedCluster({ nodeCount: 3 });
  await succeeds(cluster, creation(more.os === undefined ? {} : { os_type: more.os }));
  const before = cluster.instance("web1");
  await succeeds(cluster, exporting());
  if (!keep) await succeeds(cluster, removal);
  return { ...cluster, before };
}

describe("imports from an export", () => {
  test("an imported instance has its former parameters, from whichever node has the export", async () => {
    const { run, instance, before, config, volumesOn } = await stage();
    const { log, ...ran } = await run(importing());
    expect(ran).toEqual({ status: "success", result: ["node1.example.com"] });
    expect(log.filter((line) => !/disk\/?1|^\* disk/.test(String(line)))).toEqual([
      "* creating instance disks...",
      "adding instance web1.example.com to cluster config",
      "adding disks to cluster config",
      " - INFO: Waiting for instance web1.example.com to sync disks",
      " - INFO: Instance web1.example.com's disks are in sync",
      " - INFO: Waiting for instance web1.example.com to sync disks",
      " - INFO: Instance web1.example.com's disks are in sync",
      "* running the instance OS import scripts...",
      "Exporting disk/0 from node3.example.com to node1.example.com",
      "disk/0 is now listening, starting export",
      "disk/0 is receiving data on node1.example.com",
      "disk/0 is sending data on node3.example.com",
      "disk/0 finished receiving data",
      "disk/0 finished sending data",
      "Running rename script for web1.example.com",
    ]);
    const made = instance("web1");
    expect(made).toMatchObject({
      os: "noop+default",
      hypervisor: "kvm",
      tags: ["prod", "web"],
      hvparams: { acpi: false },
      beparams: { maxmem: 768, minmem: 256, vcpus: 2 },
      nics: [{ ip: "198.51.100.7", mac: "aa:00:00:11:22:33" }],
    });
    expect(made.uuid).not.toBe(before.uuid);
    expect(config.snapshot.disksOf(made).map(({ size, name }) => [size, name])).toEqual([
      [2048, "root"],
      [1536, undefined],
    ]);
    expect(volumesOn(1)).toHaveLength(2);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
  });

  test("an import that identifies defaults stores only the differences", async () => {
    const { run, instance, config } = await stage();
    await run(importing({ identify_defaults: true }));
    const { hvparams, beparams, nics } = instance("web1");
    expect({ hvparams, beparams, nics }).toMatchObject({
      hvparams: { acpi: false },
      beparams: { maxmem: 768, minmem: 256, vcpus: 2 },
    });
    expect(Object.keys(hvparams ?? {})).toEqual(["acpi"]);
    expect(Object.keys(beparams ?? {}).sort()).toEqual(["maxmem", "minmem", "vcpus"]);
    expect(nics.map(({ nicparams }) => nicparams)).toEqual([{}]);
    expect(config.snapshot.cluster.nicparams.default.mode).toBe("bridged");
  });

  test("parameters of the opcode override those of the export", async () => {
    const { run, instance, config } = await stage();
    const given = {
      instance_name: "web2.example.com",
      src_node: "node3",
      src_path: "web1.example.com",
      disks: [{ size: 4096 }, { size: 1600 }],
      nics: [{ mac: "generate" }],
      tags: ["copy"],
      beparams: { memory: 1024 },
      hvparams: { acpi: true },
    };
    expect(await run(importing(given))).toMatchObject({ status: "success" });
    const made = instance("web2");
    expect(made).toMatchObject({
      tags: ["copy"],
      beparams: { maxmem: 1024, minmem: 1024, vcpus: 2 },
    });
    expect(made.hvparams).toMatchObject({ acpi: true });
    expect(made.nics[0]?.mac).not.toBe("aa:00:00:11:22:33");
    expect(config.snapshot.disksOf(made).map(({ size }) => size)).toEqual([4096, 1600]);
  });

  test("an import without a MAC address keeps the former one only under the former name", async () => {
    const { run, instance } = await stage();
    await run(importing({ nics: [{}] }));
    expect(instance("web1").nics).toMatchObject([{ mac: "aa:00:00:11:22:33" }]);
    const other = { instance_name: "web2.example.com", src_path: "web1.example.com", nics: [{}] };
    await run(importing(other));
    expect(instance("web2").nics[0]?.mac).not.toBe("aa:00:00:11:22:33");
  });

  test("an import onto disks that are too small fails and leaves the instance stopped", async () => {
    const { run, instance, runningOn } = await stage();
    const small = { disks: [{ size: 2048 }, { size: 1024 }], start: true };
    const { status, result, log } = await run(importing(small));
    const text =
      "Some disks for instance web1.example.com on node node1.example.com were not imported successfully";
    expect([status, result]).toEqual(["error", failed(text)]);
    expect(runningOn(1)).toEqual([]);
    expect(log).toContain(
      "disk/1 failed to receive data: Exited with status 1 (recent output: No space left on device)",
    );
    expect(log).toContain("disk/0 finished receiving data");
    expect(instance("web1").disks).toHaveLength(2);
  });

  test("an import can be mirrored and started on nodes chosen by an allocator", async () => {
    const { run, runningOn, config, instance } = await stage();
    const { pnode: _, ...placeless } = importing({ disk_template: "drbd", compress: "gzip" });
    const ran = await run({ ...placeless, start: true, nics: [{ mac: "auto" }] });
    expect(ran).toMatchObject({
      status: "success",
      result: [expect.any(String), expect.any(String)],
    });
    expect(instance("web1").admin_state).toBe("up");
    expect([1, 2, 3].flatMap(runningOn)).toEqual(["web1.example.com"]);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
  });

  test.each([
    {
      why: "the name is taken",
      op: {},
      keep: true,
      refusal: ["Instance 'web1.example.com' is already in the cluster", "already_exists"],
    },
    {
      why: "its address is in use",
      op: { instance_name: "web2.example.com", src_path: "web1.example.com" },
      keep: true,
      refusal: ["MAC address aa:00:00:11:22:33 already in use in cluster", "resource_not_unique"],
    },
    {
      why: "there is no such export",
      op: { instance_name: "web3.example.com" },
      refusal: ["No export found for relative path web3.example.com", "wrong_input"],
    },
    {
      why: "a path is on no node in particular",
      op: { src_path: "/var/lib/ganeti/export/web1.example.com" },
      refusal: ["Importing an instance from a path requires a source node option", "wrong_input"],
    },
    {
      why: "the export's node is offline",
      op: { src_node: "node3" },
      offline: true,
      refusal: ["Can't use offline node: node3.example.com", "wrong_state"],
    },
    {
      why: "disks are adopted",
      op: { disks: [{ adopt: "lv1" }] },
      refusal: ["Disk adoption not allowed for instance import", "wrong_input"],
    },
    {
      why: "it is a reservation",
      op: { forthcoming: true },
      refusal: ["forthcoming instances can only be created, not imported", "wrong_input"],
    },
    {
      why: "the compression is not allowed",
      op: { compress: "zip" },
      refusal: [expect.stringContaining("Compression tool not allowed"), "wrong_input"],
    },
  ])("is refused when $why", async ({ op, refusal, keep = false, offline = false }) => {
    const { run, config, nodes, put } = await stage({ keep });
    const node = config.snapshot.node(nodes[2] as never);
    if (offline && node) await put({ kind: "put", type: "node", object: { ...node, offline } });
    expect((await run(importing(op))).result).toEqual(["OpPrereqError", refusal]);
  });

  test("an import from anything but a usable export is refused", async () => {
    const { run, simulated, nodes } = await stage();
    const wrongPath = importing({ src_node: "node2", src_path: "web1.example.com" });
    expect((await run(wrongPath)).result).toEqual(
      failed(
        "No export or invalid export found in dir /var/lib/ganeti/export/web1.example.com: Export info file doesn't have the required fields",
      ),
    );
    const { description } = simulated.stateOf(nodes[2] ?? "")?.exports["web1.example.com"] ?? {};
    const newer = { ...description, export: { ...description?.export, version: "1" } };
    const { exports = {} } = simulated.stateOf(nodes[2] ?? "") ?? {};
    exports["web9.example.com"] = { description: newer, files: {} };
    expect((await run(importing({ instance_name: "web9.example.com" }))).result).toEqual(
      refused("Wrong export version 1 (wanted 0)", "environment_error"),
    );
    const bare = { export: { version: "0", os: "" }, instance: { name: "web8.example.com" } };
    exports["web8.example.com"] = { description: bare, files: {} };
    expect((await run(importing({ instance_name: "web8.example.com" }))).result).toEqual(
      refused(
        "No disk info specified and the export is missing the disk information",
        "wrong_input",
      ),
    );
  });
});
