import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { refused } from "../../../test/support/results.js";
import { staged } from "../../../test/support/web1.js";

const op = "OP_INSTANCE_QUERY_DATA";
const locksNeeded = " - WARNING: Non-static data requested, locks need to be acquired";

const asking = async (cluster: Awaited<ReturnType<typeof staged>>, more: JsonObject = {}) => {
  const { status, result, log } = await cluster.run({ OP_ID: op, instances: ["web1"], ...more });
  expect(status).toBe("success");
  return { data: (result as Record<string, JsonObject>)["web1.example.com"] ?? {}, log, result };
};

describe("instance data", () => {
  test("instance data combine the configuration with the answers of nodes", async () => {
    const cluster = await staged(
      { hypervisor: "fake", disk_template: "file", disks: [{ size: 1024, name: "root" }] },
      { cluster: { enabled_hypervisors: ["fake"] } },
    );
    const { data, log } = await asking(cluster);
    expect(log).toEqual([locksNeeded]);
    const { uuid, disks, nics, ctime, mtime, serial_no } = cluster.web1();
    const now = cluster.config.snapshot;
    const path = String(now.disk(disks[0] as never)?.logical_id?.[1]);
    const [group] = [...now.groups()];
    expect(data).toEqual({
      name: "web1.example.com",
      config_state: "up",
      run_state: "up",
      pnode: "node1.example.com",
      pnode_group_uuid: group?.uuid,
      pnode_group_name: "default",
      snodes: [],
      snodes_group_uuids: [],
      snodes_group_names: [],
      os: "noop+default",
      nics: [[null, nics[0]?.uuid, null, nics[0]?.mac, "bridged", "xen-br0", "", null, null]],
      disk_template: "file",
      hypervisor: "fake",
      network_port: null,
      disks: [
        {
          iv_name: "disk/0",
          dev_type: "file",
          logical_id: ["loop", path],
          drbd_info: null,
          pstatus: [path, null, null, null, null, false, 1],
          sstatus: null,
          children: [],
          mode: "rw",
          size: 1024,
          spindles: null,
          name: "root",
          uuid: disks[0],
        },
      ],
      disk_status: [[0, "node1.example.com", "primary", "ok"]],
      hv_instance: {},
      hv_actual: {},
      be_instance: { minmem: 256, maxmem: 512 },
      be_actual: {
        always_failover: false,
        auto_balance: true,
        maxmem: 512,
        minmem: 256,
        spindle_use: 1,
        vcpus: 1,
      },
      os_instance: {},
      os_actual: {},
      serial_no,
      ctime,
      mtime,
      uuid,
    });
  });

  test("data of a mirrored instance show both sides and not the secret", async () => {
    const cluster = await staged();
    const { data } = await asking(cluster);
    const [disk] = data.disks as JsonObject[];
    expect(data.snodes).toEqual(["node2.example.com"]);
    expect(disk).toMatchObject({
      logical_id: [cluster.nodes[0], cluster.nodes[1], 11000, 0, 0, null],
      drbd_info: {
        primary_node: "node1.example.com",
        primary_minor: 0,
        port: 11000,
        secondary_node: "node2.example.com",
        secondary_minor: 0,
      },
      pstatus: ["/dev/drbd0", 147, 0, null, null, false, 1],
      sstatus: ["/dev/drbd0", 147, 0, null, null, false, 1],
      children: [{ dev_type: "plain", iv_name: null }, { size: 128 }],
    });
    const [data0] = (disk?.children ?? []) as JsonObject[];
    expect(data0?.pstatus).toMatchObject({ 5: false, 6: 1 });
    expect(data0?.sstatus).toEqual(data0?.pstatus);
  });

  test("disk_status names the bad copies of disks", async () => {
    const volumeGroups = { xenvg: { "/dev/sda3": 9000 } };
    const cluster = await staged({}, { host: { volumeGroups } });
    const { simulated, nodes, on } = cluster;
    await simulated.breakPhysicalVolume(nodes[1] ?? "", "xenvg", "/dev/sda3");
    expect((await asking(cluster)).data.disk_status).toEqual([
      [0, "node1.example.com", "primary", "ok"],
      [0, "node2.example.com", "secondary", "faulty"],
    ]);
    await simulated.powerOff(nodes[1] ?? "");
    await cluster.node(2, { offline: true, master_candidate: false });
    const onOffline = [0, "node2.example.com", "secondary", "unknown"];
    expect((await asking(cluster)).data.disk_status).toEqual([
      [0, "node1.example.com", "primary", "degraded"],
      onOffline,
    ]);
    await on("OP_INSTANCE_SHUTDOWN");
    const { data } = await asking(cluster);
    expect(data.disk_status).toEqual([[0, "node1.example.com", "primary", "missing"], onOffline]);
    expect(data.run_state).toBe("down");
  });

  test("static data, and data of instances on offline nodes, are answered without calls to nodes", async () => {
    const cluster = await staged({ disk_template: "plain" });
    const { data, log } = await asking(cluster, { static: true });
    expect(log).toEqual([]);
    expect(data).toMatchObject({ run_state: null, disk_status: null });
    expect((data.disks as JsonObject[])[0]).toMatchObject({ pstatus: null });
    await cluster.node(1, { offline: true, master_candidate: false });
    const offline = await asking(cluster, { use_locking: true });
    expect(offline.log).toEqual([
      " - WARNING: Primary node node1.example.com is marked offline, returning static information" +
        " only for instance web1.example.com",
    ]);
    expect(offline.data).toMatchObject({
      run_state: null,
      disk_status: [[0, "node1.example.com", "primary", "unknown"]],
    });
  });

  test("data of all instances include reservations, with null for open values", async () => {
    const cluster = await staged();
    const { result: uuid } = await cluster.run({
      OP_ID: "OP_INSTANCE_CREATE",
      instance_name: "",
      mode: "create",
      forthcoming: true,
      disks: [],
      nics: [],
    });
    const { result } = await asking(cluster, { instances: [] });
    expect(Object.keys(result as object).sort()).toEqual([uuid, "web1.example.com"].sort());
    expect((result as Record<string, JsonObject>)[String(uuid)]).toMatchObject({
      name: uuid,
      forthcoming: true,
      run_state: "down",
      pnode: null,
      disks: [],
    });
  });

  test("data of an unknown instance are refused", async () => {
    const { run } = await staged();
    expect(await run({ OP_ID: op, instances: ["nosuch"] })).toEqual({
      status: "error",
      result: refused("Instance 'nosuch' not known", "unknown_entity"),
      log: [locksNeeded],
    });
  });
});
