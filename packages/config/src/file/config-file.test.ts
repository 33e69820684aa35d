import { JobId } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { aCluster, aDrbdDisk, anInstance, nodeNamed, put, seeded } from "../../test/cluster.js";
import { creationChanges } from "../../test/holds.js";
import { consistencyFaults } from "../consistency/consistency.js";
import { Snapshot } from "../snapshot.js";
import { readConfigFile, writeConfigFile } from "./config-file.js";

const options = { random: seeded(), now: 77 };

const read = (file: object, upgrade = false) =>
  readConfigFile(JSON.stringify(file), { ...options, upgrade });

/** As Ganeti 2.0 wrote it: names as keys, disks inside, no groups, few parameters. */
const oldest = () => ({
  version: 2_000_000,
  serial_no: 5,
  cluster: {
    cluster_name: "old.example.com",
    master_node: "node1.example.com",
    master_ip: "192.0.2.1",
    master_netdev: "eth0",
    serial_no: 3,
    rsahostkeypub: "key",
    highest_used_port: 11002,
    tcpudp_port_pool: [11001],
    mac_prefix: "aa:00:00",
    volume_group_name: "xenvg",
    default_bridge: "br7",
    default_hypervisor: "xen-hvm",
    enabled_hypervisors: ["xen-pvm", "xen-hvm"],
    hvparams: {
      "xen-pvm": { root_path: "/dev/sda1", xen_cmd: "xm" },
      kvm: { disk_discard: "default" },
    },
    beparams: { default: { memory: 256, vcpus: 2, auto_balance: true } },
    ipolicy: { min: { "memory-size": 64 }, max: {}, std: {} },
    default_iallocator: null,
  } as Record<string, unknown>,
  nodes: {
    "node1.example.com": { primary_ip: "192.0.2.2", master_candidate: true, serial_no: 1 },
    "node2.example.com": {
      primary_ip: "192.0.2.3",
      master_candidate: true,
      ndparams: { exclusive_storage: true },
    },
  },
  networks: {
    n: { name: "net", uuid: "33333333-3333-4333-8333-333333333333", network: "198.51.100.0/29" },
  },
  instances: {
    "web.example.com": {
      os: "debian",
      hypervisor: "xen-pvm",
      primary_node: "node1.example.com",
      admin_up: true,
      ctime: 12.5,
      serial_no: 2,
      disk_template: "drbd",
      beparams: { memory: 512 },
      hvparams: { migration_port: 99, kernel_args: "rw" },
      nics: [{ mac: "aa:00:00:00:00:01", network: "net", ip: null, nicparams: {} }],
      disks: [
        {
          dev_type: "drbd8",
          iv_name: "sda",
          size: 1024,
          mode: "rw",
          physical_id: ["x"],
          logical_id: ["node1.example.com", "node2.example.com", 11000, 0, 0, "s"],
          children: [
            { dev_type: "lvm", logical_id: ["xenvg", "data"], size: 1024, physical_id: ["y"] },
            { dev_type: "lvm", logical_id: ["xenvg", "meta"], size: 128 },
          ],
        },
      ],
    },
    "bare.example.com": {
      os: "debian",
      hypervisor: "xen-pvm",
      primary_node: "node2.example.com",
      admin_up: false,
      disk_template: "diskless",
      disks: [],
    },
  } as Record<string, object>,
});

test("a file of the oldest version becomes one of ours that makes sense", () => {
  const { content } = read(oldest(), true);
  const now = Snapshot.of(content);
  expect(consistencyFaults(now)).toEqual([]);
  const [one, two] = [1, 2].map((n) => nodeNamed(now, n));
  expect(content.version).toBe(3_000_000);
  expect(now.cluster.master_node).toBe(one?.uuid);
  expect([...now.groups()]).toMatchObject([{ name: "default", serial_no: 1, mtime: 77 }]);
  expect([...now.groups()][0]?.ctime).toBeUndefined();
  expect(two).toMatchObject({ group: one?.group, ndparams: {}, secondary_ip: "192.0.2.3" });
  const web = now.expectInstance("web");
  expect(web).toMatchObject({
    primary_node: one?.uuid,
    admin_state: "up",
    disks_active: true,
    admin_state_source: "admin",
    beparams: { minmem: 512, maxmem: 512 },
    hvparams: { kernel_args: "rw" },
  });
  expect(web).not.toHaveProperty("disk_template");
  expect(web.nics[0]).toEqual({
    mac: "aa:00:00:00:00:01",
    nicparams: {},
    uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    network: "33333333-3333-4333-8333-333333333333",
  });
  const [disk] = now.disksOf(web);
  expect(disk).toMatchObject({
    dev_type: "drbd",
    iv_name: "disk/0",
    nodes: [one?.uuid, two?.uuid],
    serial_no: 1,
    ctime: 12.5,
    mtime: 12.5,
    logical_id: [one?.uuid, two?.uuid, 11000, 0, 0, "s"],
    children: [
      { dev_type: "plain", nodes: [one?.uuid, two?.uuid] },
      { dev_type: "plain", size: 128 },
    ],
  });
  expect(JSON.stringify(disk)).not.toContain("physical_id");
});

test("the cluster of the oldest version gets what it did not know", () => {
  const { cluster } = read(oldest(), true).content;
  expect(cluster).toMatchObject({
    enabled_hypervisors: ["xen-hvm", "xen-pvm"],
    enabled_disk_templates: ["diskless", "drbd", "plain"],
    nicparams: { default: { mode: "bridged", link: "br7", vlan: "" } },
    beparams: { default: { minmem: 256, maxmem: 256, vcpus: 2, spindle_use: 1 } },
    ssh_key_type: "dsa",
    ssh_key_bits: 1024,
    default_iallocator: "",
    master_netmask: 32,
  });
  expect(cluster.hvparams["xen-pvm"]).toMatchObject({ root_path: "/dev/sda1", cpu_mask: "all" });
  expect(cluster.hvparams["xen-pvm"]).not.toHaveProperty("xen_cmd");
  expect(cluster.hvparams.kvm?.disk_discard).toBe("ignore");
  expect(cluster.ipolicy.minmax[0]?.min).toMatchObject({ "memory-size": 64, "disk-size": 1024 });
  expect(cluster.ipolicy["disk-templates"].toSorted()).toEqual(["diskless", "drbd", "plain"]);
  for (const key of ["default_bridge", "default_hypervisor"])
    expect(cluster).not.toHaveProperty(key);
});

test("a file that was upgraded is current, and reading it again changes nothing", () => {
  const once = read(oldest(), true);
  const text = writeConfigFile(once.content, once.filters);
  const again = readConfigFile(text, options);
  expect(again).toEqual(once);
  expect(writeConfigFile(again.content, again.filters)).toBe(text);
});

test("group policies keep their own bounds, filled from the cluster's, and lose std", () => {
  const file = oldest();
  const nodegroups = {
    g: {
      name: "g",
      uuid: "44444444-4444-4444-8444-444444444444",
      ipolicy: { min: { "cpu-count": 2 }, max: {}, std: {} },
    },
  };
  const [group] = read({ ...file, nodegroups }, true).content.groups;
  expect(group?.ipolicy).toEqual({
    minmax: [
      {
        min: expect.objectContaining({ "cpu-count": 2, "memory-size": 64 }),
        max: expect.objectContaining({ "cpu-count": 8 }),
      },
    ],
  });
});

test("a group's own std, which Ganeti lets creations say, is left out of current files as well", () => {
  const { content, filters } = read(oldest(), true);
  const file = JSON.parse(writeConfigFile(content, filters)) as {
    nodegroups: Record<string, { ipolicy: object }>;
  };
  for (const group of Object.values(file.nodegroups)) {
    group.ipolicy = { "vcpu-ratio": 2, std: { "cpu-count": 2 } };
  }
  const policies = read(file).content.groups.map(({ ipolicy }) => ipolicy);
  expect(policies).toEqual([{ "vcpu-ratio": 2 }]);
});

test("NICs of version 2.0, which name a bridge, become bridged ones of that link", () => {
  const file = oldest();
  const [web] = Object.values(file.instances) as { nics: object[] }[];
  const mac = (end: number) => `aa:00:00:00:00:0${end}`;
  web?.nics.splice(
    0,
    1,
    { mac: mac(1), ip: null, bridge: "br1" },
    { mac: mac(2), ip: null, bridge: null },
    { mac: mac(3), ip: null, bridge: "br1", nicparams: { link: "br2" } },
  );
  const nics = read(file, true).content.instances.flatMap((one) => one.nics);
  expect(nics.map(({ mac: address, nicparams }) => [address, nicparams])).toEqual([
    [mac(1), { mode: "bridged", link: "br1" }],
    [mac(2), {}],
    [mac(3), { link: "br2" }],
  ]);
});

/** Everything that a current file can hold. */
function current() {
  const random = seeded(4);
  const empty = Snapshot.of(aCluster());
  const [one, two] = [nodeNamed(empty, 1).uuid, nodeNamed(empty, 2).uuid];
  const disk = aDrbdDisk(random, [one, two], { port: 11000, minors: [0, 0] });
  const instance = anInstance(random, "db", one, { disks: [disk.uuid] });
  const bare = { uuid: "11111111-1111-4111-8111-111111111111", forthcoming: true };
  const heldDisk = aDrbdDisk(random, [one, two], { port: 11001, minors: [1, 1] });
  const held = anInstance(random, "new", one, { disks: [heldDisk.uuid] });
  return empty.with(
    [
      ...[put("instance", instance), put("disk", disk)],
      put("instance", { ...bare, disks: [], nics: [], tags: ["later"] }),
      ...creationChanges(held, [heldDisk], JobId.parse(3)),
    ],
    { serial: 9, mtime: 9 },
  );
}

test("what is written is read back, without claims", () => {
  const now = current();
  const filter = {
    uuid: "55555555-5555-4555-8555-555555555555",
    watermark: 3,
    priority: 1,
    predicates: [["jobid", [">", "id", 5]]],
    action: ["RATE_LIMIT", 2],
  };
  const written = JSON.parse(writeConfigFile(now.content())) as Record<string, object>;
  // Nanoseconds are more than a double holds.
  const text = JSON.stringify({
    ...written,
    filters: { [filter.uuid]: { ...filter, reason_trail: "TRAIL" } },
  });
  const withFilter = text.replace('"TRAIL"', '[["a","b",1795210046614350001]]');
  const { content, filters } = readConfigFile(withFilter, options);
  const shown = now.content().instances.filter(({ name }) => name !== "new");
  expect(content.instances).toEqual(shown);
  expect(content.disks).toHaveLength(1);
  expect(content.cluster).toEqual(now.cluster);
  expect(content.serial).toBe(9);
  expect(writeConfigFile(content, filters)).toContain("1795210046614350001");
});

test.each([
  {
    why: "an unknown key of an instance",
    change: (file: Record<string, Record<string, Record<string, unknown>>>) => {
      for (const one of Object.values(file.instances ?? {})) one.colour = "red";
    },
    message: "Object Instance doesn't support the parameter 'colour'",
  },
  {
    why: "an unknown key at the top",
    change: (file: Record<string, unknown>) => {
      file.extra = {};
    },
    message: "Object ConfigData doesn't support the parameter 'extra'",
  },
  {
    why: "an unknown key of the cluster's policy",
    change: (file: { cluster: { ipolicy: Record<string, unknown> } }) => {
      file.cluster.ipolicy.more = 1;
    },
    message: "Cluster instance policy contains spurious keys: more",
  },
  {
    why: "a wrong key of a map",
    change: (file: { nodes: Record<string, unknown> }) => {
      file.nodes.wrong = Object.values(file.nodes)[0];
      delete file.nodes[Object.keys(file.nodes)[0] as string];
    },
    message: "is indexed by wrong UUID 'wrong'",
  },
  {
    why: "a value of the wrong kind",
    change: (file: { nodes: Record<string, Record<string, unknown>> }) => {
      for (const node of Object.values(file.nodes)) node.offline = "no";
    },
    message: "is invalid: offline: ",
  },
  {
    why: "an older version, unless it is to be upgraded",
    change: (file: Record<string, unknown>) => {
      file.version = 2_160_000;
    },
    message: "Cluster configuration version mismatch, got 2160000 instead of 3000000",
  },
])("$why is refused, and with it the whole file", ({ change, message }) => {
  const file = JSON.parse(writeConfigFile(current().content()));
  change(file);
  expect(() => read(file)).toThrow(message);
});

test("a text that is not a configuration is refused", () => {
  expect(() => readConfigFile("{", options)).toThrow("Cannot read the configuration");
  expect(() => readConfigFile("[]", options)).toThrow("The configuration is not a dictionary");
  expect(() => read({ version: 1_020_000 }, true)).toThrow("version mismatch");
  expect(() => read({ version: 2_010_000, cluster: {}, nodes: {} }, true)).toThrow(
    "Can't find the 'instances' key in the configuration!",
  );
});
