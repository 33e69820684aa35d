import { nodeCalls } from "@ganeti-ts/node-calls/catalog";
import type { DiskObject, DiskUuid, InstanceUuid, RealInstance } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { consoleRequest, diskOnNode, instanceOnNode, Snapshot } from "./index.js";
import { initialConfiguration } from "./initial.js";

const stamps = { serial_no: 2, ctime: 1000.25, mtime: 1000.5 };
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

function stage() {
  let drawn = 0;
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: ["node1", "node2"].map((name, at) => ({ name, primary_ip: `192.0.2.${at + 1}` })),
    hypervisors: ["fake", "kvm"],
    random: { fraction: () => (drawn++ % 1000) / 1000 },
    now: 1000,
  });
  const nodes = content.nodes.map((node) => node.uuid);
  const [one, two] = nodes;
  if (one === undefined || two === undefined) throw new Error("nodes");
  const part = { dev_type: "plain", nodes, size: 128, ...stamps } as const;
  const disk: DiskObject = {
    uuid: uuid(1) as DiskUuid,
    dev_type: "drbd",
    size: 128,
    iv_name: "disk/0",
    mode: "rw",
    nodes,
    logical_id: [one, two, 11000, 0, 0, "secret"],
    params: { protocol: "A" },
    children: [
      { ...part, uuid: uuid(2) as DiskUuid, logical_id: ["xenvg", "data"] },
      { ...part, uuid: uuid(3) as DiskUuid, logical_id: ["xenvg", "meta"] },
    ],
    ...stamps,
  };
  const instance: RealInstance = {
    uuid: uuid(4) as InstanceUuid,
    name: "web.example.com",
    primary_node: one,
    os: "noop",
    hypervisor: "kvm",
    hvparams: { acpi: false },
    beparams: { maxmem: 512 },
    osparams: { mirror: "a" },
    osparams_private: { password: "b" },
    admin_state: "up",
    admin_state_source: "admin",
    disks_active: true,
    tags: ["web"],
    disks: [disk.uuid],
    nics: [{ uuid: uuid(5), mac: "aa:00:00:00:00:01", nicparams: {} }],
    ...stamps,
  };
  const cluster = {
    ...content.cluster,
    diskparams: { drbd: { "data-stripes": 2, "disk-barriers": "bf" } },
  };
  const now = Snapshot.of({ ...content, cluster, instances: [instance], disks: [disk] });
  return { now, instance, disk, one, two };
}

test("a mirror has all parameters of the device under their own names, and its volumes theirs", () => {
  const { now, instance, disk } = stage();
  const sent = diskOnNode(now, instance, disk);
  // The keys that a node refuses to do without.
  expect(sent.params).toEqual({
    "c-delay-target": 1,
    "c-fill-target": 0,
    "c-max-rate": 61440,
    "c-min-rate": 4096,
    "c-plan-ahead": 20,
    "default-metavg": "xenvg",
    "disable-meta-flush": false,
    "disabled-barriers": "bf",
    "disk-custom": "",
    "dynamic-resync": false,
    "net-custom": "",
    protocol: "A",
    "resync-rate": 61440,
  });
  expect(sent.children?.map(({ params }) => params)).toEqual([{ stripes: 2 }, { stripes: 1 }]);
  expect(sent).toMatchObject({ nodes: disk.nodes, serial_no: 2, ctime: 1000.25, mtime: 1000.5 });
});

test("parameters of disks are those that the cluster and the group have at the time", () => {
  const { now, instance, disk, one } = stage();
  const stripesIn = (snapshot: Snapshot) =>
    diskOnNode(snapshot, instance, disk).children?.map(({ params }) => params?.stripes);
  const group = now.expectGroup(now.expectNode(one).group);
  const stamp = { serial: now.serial + 1, mtime: now.mtime };
  const ofGroup = { ...group, diskparams: { drbd: { "data-stripes": 3 } } };
  const withGroup = now.with([{ kind: "put", type: "group", object: ofGroup }], stamp);
  const ofCluster = { ...now.cluster, diskparams: { drbd: { "data-stripes": 4 } } };
  const withCluster = now.with([{ kind: "cluster", object: ofCluster }], stamp);
  expect([now, withGroup, withCluster, now].map(stripesIn)).toEqual([
    [2, 1],
    [3, 1],
    [4, 1],
    [2, 1],
  ]);
});

test("an instance carries its state, its nodes, and private parameters apart from public ones", () => {
  const { now, instance, one, two } = stage();
  const sent = instanceOnNode(now, instance, { osparams: { secret: "c" } });
  expect(sent).toMatchObject({
    primary_node: one,
    secondary_nodes: [two],
    tags: ["web"],
    disks_active: true,
    admin_state: "up",
    admin_state_source: "admin",
    serial_no: 2,
    ctime: 1000.25,
    osparams: { mirror: "a", secret: "c" },
    osparams_private: { password: "b" },
  });
  expect(sent.hvparams.acpi).toBe(false);
  expect(Object.keys(sent.hvparams).length).toBeGreaterThan(10);
  const start = { instance: sent, startupPaused: false };
  expect(nodeCalls.instance_start.arguments.safeParse(start).error).toBeUndefined();
});

test("questions about consoles carry the stored objects along", () => {
  const { now, instance } = stage();
  const request = consoleRequest(now, instance);
  expect(request?.node).toMatchObject({ name: "node1" });
  const console = { instances: { [instance.name]: request } };
  expect(nodeCalls.instance_console_info.arguments.safeParse(console).success).toBe(true);
});
