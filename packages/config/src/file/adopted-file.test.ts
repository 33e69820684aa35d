// Configurations of all versions as Ganeti takes them: what it drops, fills, and refuses.
import { expect, test } from "vitest";
import { seeded } from "../../test/cluster.js";
import { type File, type Part, samples } from "../../test/original/samples.js";
import { readConfigFile } from "./config-file.js";

const files = samples();

/** The configuration of a version after a change, read here. */
function read(version: string, change: (file: File) => void) {
  const file = structuredClone(files.get(version) as File);
  change(file);
  const options = { upgrade: true, random: seeded(), now: 1_900_000_000 };
  return readConfigFile(JSON.stringify(file), options).content;
}

const named = (map: Record<string, Part> | undefined, name: string): Part => {
  const found = Object.values(map ?? {}).find((one) => String(one.name).split(".")[0] === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

test.each([...files.keys()])("a configuration of version %s keeps its objects", (version) => {
  const content = read(version, () => {});
  const file = files.get(version) as File;
  expect(content.instances).toHaveLength(Object.keys(file.instances).length);
  expect(content.nodes).toHaveLength(3);
  expect(content.disks).toHaveLength(version.startsWith("3.") ? 5 : 4);
});

test("networks of old versions lose family and network_type", () => {
  const { networks } = read("2.8", () => {});
  expect(networks.map(({ name }) => name).sort()).toEqual(["net1", "net2"]);
  for (const network of networks) expect(Object.keys(network)).not.toContain("family");
});

test("an incomplete interval of a group's policy is filled from the cluster's", () => {
  const { groups } = read("2.16", (file) => {
    const [own] = (file.cluster.ipolicy as { minmax: { min: Part }[] }).minmax;
    Object.assign(own?.min ?? {}, { "disk-size": 7 });
    const policy = named(file.nodegroups, "g2").ipolicy as { minmax: { min: Part; max?: Part }[] };
    policy.minmax = [{ min: { "cpu-count": 2 } }];
  });
  const [interval] = groups.find(({ name }) => name === "g2")?.ipolicy.minmax ?? [];
  expect(interval?.min).toMatchObject({ "cpu-count": 2, "disk-size": 7 });
  expect(interval?.max["cpu-count"]).toBe(8);
});

test("parameters of a disk or of its children that are no object are emptied", () => {
  const { disks } = read("3.0", ({ disks = {} }) => {
    for (const disk of Object.values(disks)) {
      disk.params = 5;
      for (const child of disk.children as Part[]) child.params = [["x"]];
    }
  });
  const all = disks.flatMap((disk) => [disk, ...disk.children]);
  expect(all.map(({ params }) => params)).toEqual(Array(7).fill({}));
});

test("the usermode helper of DRBD is /bin/true where none is stored, if the template is enabled", () => {
  const helper = (templates: readonly string[], value: unknown) =>
    read("3.0", ({ cluster }) =>
      Object.assign(cluster, { enabled_disk_templates: templates, drbd_usermode_helper: value }),
    ).cluster.drbd_usermode_helper;
  expect(helper(["drbd", "plain", "file"], null)).toBe("/bin/true");
  expect(helper(["drbd", "plain", "file"], "/sbin/other")).toBe("/sbin/other");
  expect(helper(["plain", "file"], null)).toBeUndefined();
});

test("ports of the pool and tags that are listed twice are there once", () => {
  const { cluster, nodes } = read("3.0", (file) => {
    file.cluster.tcpudp_port_pool = [11002, 11003, 11002];
    for (const one of [file.cluster, ...Object.values(file.nodes)]) one.tags = ["a", "b", "a"];
  });
  expect(cluster.tcpudp_port_pool).toEqual([11002, 11003]);
  expect(cluster.tags).toEqual(["a", "b"]);
  expect(nodes.map(({ tags }) => tags)).toEqual(Array(3).fill(["a", "b"]));
});

test("one value of memory replaces both bounds", () => {
  const { cluster, instances } = read("3.0", (file) => {
    named(file.instances, "inst2").beparams = { minmem: 1, memory: 300, maxmem: 900 };
    (file.cluster.beparams as { default: Part }).default.memory = 200;
  });
  const inst2 = instances.find(({ name }) => name === "inst2.example.com");
  expect(inst2?.beparams).toEqual({ minmem: 300, maxmem: 300 });
  expect(cluster.beparams.default).toMatchObject({ minmem: 200, maxmem: 200 });
});

test("null in parameters of a node, group, instance or NIC means that they are absent", () => {
  const { nodes, groups, instances } = read("3.0", (file) => {
    named(file.nodes, "node2").ndparams = { oob_program: null };
    named(file.nodegroups, "default").ndparams = { spindle_count: null };
    const one = named(file.instances, "inst1");
    one.beparams = { vcpus: null, minmem: 64 };
    for (const nic of one.nics as Part[]) nic.nicparams = { link: null, mode: "routed" };
  });
  expect(nodes.find(({ name }) => name === "node2.example.com")?.ndparams).toEqual({});
  expect(groups.find(({ name }) => name === "default")?.ndparams).toEqual({});
  const inst1 = instances.find(({ name }) => name === "inst1.example.com");
  expect(inst1?.beparams).toEqual({ minmem: 64 });
  expect(inst1?.nics.map(({ nicparams }) => nicparams)).toEqual([{ mode: "routed" }]);
});

test("an upgrade adds missing data collectors, and the key types of before they could be chosen", () => {
  const { cluster } = read("2.16", (file) => {
    delete file.cluster.ssh_key_type;
    delete file.cluster.ssh_key_bits;
    file.cluster.data_collectors = { drbd: { active: false, interval: 1 } };
  });
  expect(Object.keys(cluster.data_collectors)).toHaveLength(6);
  expect(cluster.data_collectors.drbd).toEqual({ active: false, interval: 1 });
  expect(cluster).toMatchObject({ ssh_key_type: "dsa", ssh_key_bits: 1024 });
});

test("disks of old versions are on the nodes of their mirrors and on the primary node", () => {
  const { disks, instances, nodes } = read("2.15", (file) => {
    const third = named(file.nodes, "node3").uuid;
    for (const name of ["inst7", "inst8"]) named(file.instances, name).primary_node = third;
  });
  const nodesOf = (name: string) =>
    instances
      .filter((one) => one.name === `${name}.example.com`)
      .flatMap((one) => one.disks)
      .map((uuid) => disks.find((disk) => disk.uuid === uuid)?.nodes)
      .map((uuids) => uuids?.map((uuid) => nodes.find((one) => one.uuid === uuid)?.name));
  expect(nodesOf("inst7")).toEqual([["node3.example.com"]]);
  expect(nodesOf("inst8")).toEqual([
    ["node1.example.com", "node2.example.com", "node3.example.com"],
  ]);
});

test("a group and a disk without UUID keep the key under which others refer to them", () => {
  const { groups, nodes } = read("2.16", ({ nodegroups }) => {
    for (const group of Object.values(nodegroups)) delete group.uuid;
  });
  expect(new Set(nodes.map(({ group }) => group))).toEqual(new Set(groups.map(({ uuid }) => uuid)));
  const { disks, instances } = read("3.0", (file) => {
    for (const disk of Object.values(file.disks ?? {})) delete disk.uuid;
  });
  const used = instances.flatMap((one) => one.disks).sort();
  expect(disks.map(({ uuid }) => uuid).sort()).toEqual(used);
});

test.each<{ what: string; version: string; change: (file: File) => void; text: string }>([
  {
    what: "an instance that is no object",
    version: "2.16",
    change: ({ instances }) => Object.assign(instances, { odd: 5 }),
    text: "'odd' in 'instances' is not a dictionary",
  },
  {
    what: "a disk that is no object",
    version: "2.11",
    change: ({ instances }) => (named(instances, "inst3").disks as unknown[]).push(["x"]),
    text: "Instance 'inst3.example.com' has a disk that is not a dictionary",
  },
  {
    what: "an instance without a list of disks",
    version: "2.11",
    change: ({ instances }) => delete named(instances, "inst3").disks,
    text: "Instance 'inst3.example.com' doesn't have a disks entry?!",
  },
  {
    what: "a file without disks",
    version: "3.0",
    change: (file) => delete file.disks,
    text: "Can't find the 'disks' key in the configuration!",
  },
  {
    what: "a master that is not in the file",
    version: "3.0",
    change: ({ cluster }) => Object.assign(cluster, { master_node: "other" }),
    text: "The configuration denotes node other as master, but does not contain information",
  },
  {
    what: "a node in a group that is not in the file",
    version: "3.1",
    change: ({ nodes }) => Object.assign(named(nodes, "node2"), { group: "other" }),
    text: "Node 'node2.example.com' has invalid group 'other'",
  },
  {
    what: "a bound of a policy that is no object",
    version: "2.8",
    change: ({ nodegroups }) => Object.assign(named(nodegroups, "g2").ipolicy as Part, { min: 3 }),
    text: "'min' of an instance policy is not a dictionary",
  },
  {
    what: "a version with a fraction",
    version: "2.15",
    change: (file) => Object.assign(file, { version: 2_150_000.5 }),
    text: "version mismatch, got 2150000.5",
  },
  {
    what: "a serial number that is no number",
    version: "3.0",
    change: (file) => Object.assign(file, { serial_no: "x" }),
    text: "'serial_no' is not a number: x",
  },
])("$what is refused instead of being lost", ({ version, change, text }) => {
  expect(() => read(version, change)).toThrow(text);
});
