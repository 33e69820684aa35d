import { describe, expect, test } from "vitest";
import { MessageError } from "../errors.js";
import { decodeRapiCluster } from "./decode-cluster.js";

const spec = { "memory-size": 128, "cpu-count": 1, "disk-size": 1024, "disk-count": 1 };
const bound = { ...spec, "nic-count": 1, "spindle-use": 1 };
const ipolicy = {
  minmax: [{ min: bound, max: { ...bound, "memory-size": 32768 } }],
  std: bound,
  "disk-templates": ["drbd", "plain"],
  "vcpu-ratio": 4,
  "spindle-ratio": 32.5,
};

const group = {
  name: "g1",
  uuid: "u1",
  alloc_policy: "last_resort",
  ipolicy,
  tags: ["t"],
  node_cnt: 2,
};
const node = {
  name: "n1",
  offline: false,
  drained: false,
  vm_capable: true,
  "group.uuid": "u1",
  ndparams: { exclusive_storage: false, spindle_count: 2, oob_program: null },
  mtotal: 1024.5,
  mnode: 100,
  mfree: 900,
  dtotal: 5000,
  dfree: 4000,
  ctotal: 8,
  cnos: 1,
  sptotal: 7,
  spfree: 3,
  tags: ["rack:1"],
};
const instance = {
  name: "i1",
  disk_usage: 2304,
  "disk.sizes": [1024, 1024],
  "disk.spindles": [null, 2],
  beparams: { memory: 256, maxmem: 512, vcpus: 2, auto_balance: true, spindle_use: 1 },
  oper_ram: 200,
  pnode: "n1",
  snodes: ["n2", "n9"],
  status: "ERROR_up",
  tags: ["a"],
  disk_template: "drbd",
};
const info = { master: "n2", tags: ["c"], ipolicy, default_hypervisor: "kvm", name: "cluster" };

type Loose = Record<string, unknown>;
interface World {
  groups: Loose[];
  nodes: Loose[];
  instances: Loose[];
  info: Loose;
}

const world = (): World =>
  structuredClone({
    groups: [group],
    nodes: [node, { ...node, name: "n2" }],
    instances: [instance],
    info,
  });

const bytes = (text: string) => new TextEncoder().encode(text);

function decoded(
  change: (world: World) => void = () => {},
  raw: Record<string, string | Error> = {},
) {
  const changed = world();
  change(changed);
  const body = (name: keyof World) => {
    const given = raw[name] ?? JSON.stringify(changed[name]);
    return typeof given === "string" ? bytes(given) : given;
  };
  return decodeRapiCluster({
    groups: body("groups"),
    nodes: body("nodes"),
    instances: body("instances"),
    info: body("info"),
  });
}

function refused(change: (world: World) => void, raw?: Record<string, string>): string {
  try {
    decoded(change, raw);
  } catch (error) {
    if (error instanceof MessageError) return error.message;
    throw error;
  }
  return "nothing refused";
}

/** Sets or (undefined) deletes keys of the first thing of a kind. */
const with_ =
  (kind: keyof World, changes: Loose) =>
  (changed: World): void => {
    const things = changed[kind];
    const thing = (Array.isArray(things) ? things[0] : things) as Loose;
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined) delete thing[key];
      else thing[key] = value;
    }
  };

test("reservations on no node are left out, and disks without a size count with size 0", () => {
  const reserved = { ...instance, forthcoming: true, "disk.sizes": [null, 10] };
  const { instances } = decoded((changed) => {
    changed.instances.push({ ...reserved, name: "r1" }, { ...reserved, name: "r2", pnode: null });
  });
  expect(instances.map(({ name }) => name)).toEqual(["i1", "r1"]);
  expect(instances[1]?.disks.map(({ sizeMib }) => sizeMib)).toEqual([0, 10]);
});

test("a cluster is read with all that its four resources tell", () => {
  const data = decoded();
  expect(data.groups).toMatchObject([
    { name: "g1", uuid: "u1", allocationPolicy: "last_resort", tags: ["t"], networks: [] },
  ]);
  expect(data.policy).toEqual(data.groups[0]?.policy);
  expect(data.policy).toMatchObject({ vcpuRatio: 4, spindleRatio: 32.5, std: { nicCount: 1 } });
  expect(data.nodes).toEqual(
    ["n1", "n2"].map((name) => ({
      name,
      groupIndex: 0,
      offline: false,
      master: name === "n2",
      exclusiveStorage: false,
      memoryTotalMib: 1024.5,
      memoryNodeMib: 100,
      memoryFreeMib: 900,
      diskTotalMib: 5000,
      diskFreeMib: 4000,
      cpuTotal: 8,
      cpuNode: 1,
      spindleTotal: 2,
      spindleFree: 3,
      tags: ["rack:1"],
      cpuSpeed: 1,
    })),
  );
  expect(data.instances).toEqual([
    {
      name: "i1",
      memoryMib: 200,
      diskMib: 2304,
      vcpus: 2,
      spindleUse: 1,
      tags: ["a"],
      disks: [
        { sizeMib: 1024, spindles: undefined },
        { sizeMib: 1024, spindles: 2 },
      ],
      diskTemplate: "drbd",
      status: "ERROR_up",
      autoBalance: true,
      forthcoming: false,
      networks: [],
      primary: 0,
      secondary: 1,
    },
  ]);
  expect([data.tags, data.hypervisor]).toEqual([["c"], "kvm"]);
});

describe("keys that RAPI answers may lack", () => {
  test.each<[string, Loose, Loose]>([
    [
      "an offline node's figures are not looked at",
      { offline: true, mtotal: "x", dfree: {} },
      { offline: true, memoryTotalMib: 0, diskFreeMib: 0, spindleTotal: 2 },
    ],
    [
      "nor are those of one that takes no instances",
      { vm_capable: false, mfree: null },
      { offline: true, memoryFreeMib: 0 },
    ],
    [
      "a drained node is offline, but keeps its figures",
      { drained: true },
      { offline: true, memoryFreeMib: 900 },
    ],
    ["a node without a word about it takes instances", { vm_capable: null }, { offline: false }],
    [
      "storage may be missing",
      { dtotal: null, dfree: undefined, spfree: null },
      { diskTotalMib: 0, diskFreeMib: 0, spindleFree: 0 },
    ],
    [
      "exclusive storage counts its own spindles",
      { ndparams: { exclusive_storage: true } },
      { spindleTotal: 7, exclusiveStorage: true },
    ],
    [
      "fractions are rounded, halves to even",
      { mfree: 2.5, mnode: 3.5 },
      { memoryFreeMib: 2, memoryNodeMib: 4 },
    ],
  ])("%s", (_, change, expected) => {
    expect(decoded(with_("nodes", change)).nodes[0]).toMatchObject(expected);
  });

  test.each<[string, Loose, Loose]>([
    [
      "an instance that does not run has the memory it would have",
      { oper_ram: null },
      { memoryMib: 256 },
    ],
    [
      "… by its newer name",
      { oper_ram: "-", beparams: { ...instance.beparams, memory: undefined } },
      { memoryMib: 512 },
    ],
    ["no secondary is none", { snodes: [] }, { secondary: -1 }],
    [
      "a disk whose spindles are not told does not count",
      { "disk.spindles": [1] },
      { disks: [{ sizeMib: 1024, spindles: 1 }] },
    ],
    ["forthcoming is what says so", { forthcoming: true }, { forthcoming: true }],
    ["… and nothing else", { forthcoming: "yes" }, { forthcoming: false }],
  ])("%s", (_, change, expected) => {
    expect(decoded(with_("instances", change)).instances[0]).toMatchObject(expected);
  });
});

// Recorded from Ganeti 3.0.2: what `hinfo -m file://…` says after "failed to load data, aborting: ".
describe("what is refused, in Ganeti's words", () => {
  const node1 = "Node 'n1', error while parsing data: ";
  const web = "Instance 'i1', error while parsing data: ";
  test.each<[keyof World, Loose, string]>([
    ["groups", { name: 1 }, "Parsing new group: key 'name': Unable to read String"],
    [
      "groups",
      { uuid: undefined },
      `Group 'g1': key 'uuid' not found, object contains only ["name","alloc_policy","ipolicy","tags","node_cnt"]`,
    ],
    [
      "groups",
      { alloc_policy: "x" },
      `Group 'g1': key 'alloc_policy': Invalid string value for type AllocPolicy: "x"`,
    ],
    [
      "groups",
      { alloc_policy: 1 },
      "Group 'g1': key 'alloc_policy': Can't parse value for 'AllocPolicy': Unable to read String",
    ],
    ["groups", { ipolicy: 5 }, "Group 'g1': key 'ipolicy': Unable to read JSObject"],
    [
      "groups",
      { ipolicy: { ...ipolicy, zzz: 1 } },
      `Group 'g1': key 'ipolicy': Superfluous dictionary keys: ["zzz"], but only ["disk-templates","minmax","spindle-ratio","std","vcpu-ratio"] allowed.`,
    ],
    [
      "groups",
      { ipolicy: { ...ipolicy, std: { ...bound, "memory-size": "x" } } },
      "Group 'g1': key 'ipolicy': Can't parse value for 'std': Can't parse value for 'memory-size': Unable to read Int",
    ],
    ["groups", { tags: 5 }, "Group 'g1': key 'tags': Unable to read list"],
    [
      "nodes",
      {
        name: undefined,
        ...Object.fromEntries(
          Object.keys(node)
            .filter((key) => key !== "offline")
            .map((key) => [key, undefined]),
        ),
      },
      `Parsing new node: key 'name' not found, object contains only ["offline"]`,
    ],
    ["nodes", { offline: 1 }, `${node1}key 'offline': Unable to read Bool`],
    ["nodes", { vm_capable: 5 }, `${node1}key 'vm_capable': Unable to read Bool`],
    ["nodes", { ndparams: 5 }, "not an object"],
    [
      "nodes",
      { ndparams: { a: 1, b: 2 } },
      `${node1}key 'exclusive_storage' not found, object contains only ["a","b"]`,
    ],
    [
      "nodes",
      { "group.uuid": undefined },
      "Unknown group '00000000-0000-0000-0000-000000000000' for node n1",
    ],
    ["nodes", { "group.uuid": "zz" }, "Unknown group 'zz' for node n1"],
    ["nodes", { spfree: "x" }, "key 'spfree': Unable to read Int"],
    ["nodes", { mtotal: null }, `${node1}key 'mtotal': Unable to read Double`],
    ["nodes", { dtotal: "x" }, "key 'dtotal': Unable to read Double"],
    ["instances", { disk_usage: null }, `${web}key 'disk_usage': Unable to read Int`],
    ["instances", { "disk.sizes": 5 }, `${web}key 'disk.sizes': Unable to read list`],
    ["instances", { "disk.spindles": 5 }, `${web}Expecting array, got '5'`],
    [
      "instances",
      { "disk.spindles": ["x"] },
      `${web}Cannot convert value '"x"', error: Unable to read Int`,
    ],
    ["instances", { beparams: 5 }, `${web}key 'beparams': Unable to read JSObject`],
    [
      "instances",
      { oper_ram: "x", beparams: { vcpus: 1 } },
      `${web}key 'memory' not found, object contains only ["vcpus"]; ${web}key 'maxmem' not found, object contains only ["vcpus"]`,
    ],
    ["instances", { pnode: "zz" }, "Unknown node 'zz' for instance i1"],
    ["instances", { snodes: [5] }, "Wrong JSON type"],
    ["instances", { snodes: ["zz"] }, "Unknown node 'zz' for instance i1"],
    [
      "instances",
      { status: "x" },
      `${web}key 'status': Invalid string value for type InstanceStatus: "x"`,
    ],
    [
      "instances",
      { disk_template: "x" },
      `${web}key 'disk_template': Invalid string value for type DiskTemplate: "x"`,
    ],
    ["info", { master: "zz" }, "Master node zz unknown"],
    [
      "info",
      { default_hypervisor: "x" },
      `Parsing cluster data: key 'default_hypervisor': Invalid string value for type Hypervisor: "x"`,
    ],
  ])("%s %j", (kind, change, text) => {
    expect(refused(with_(kind, change))).toBe(text);
  });

  const notJson = "Invalid JSON: a JSON text a serialized object or array at the top level.";
  test.each([
    ["groups", "null", `Parsing group data: ${notJson}`],
    ["groups", "", `Parsing group data: ${notJson}`],
    ["groups", "{}", "Parsing group data: Unable to read list"],
    ["groups", "[1]", "Parsing group data: Unable to read JSObject"],
    ["nodes", "5", `Parsing node data: ${notJson}`],
    ["instances", "x", `Parsing instance data: ${notJson}`],
    ["info", "[]", "Parsing cluster info: Unable to read JSObject"],
  ])("%s as %j", (name, text, message) => {
    expect(refused(() => {}, { [name]: text })).toBe(message);
  });

  test("a truncated RAPI answer is refused with the position of its end", () => {
    expect(refused(() => {}, { nodes: "[{" })).toBe(
      'Parsing node data: expected " of a key at line 1, column 3 (byte 2), found the end of the text',
    );
  });

  test("the error of a missing resource is thrown when its turn comes", () => {
    const missing = new Error("no nodes");
    expect(() => decoded(() => {}, { nodes: missing })).toThrow(missing);
    expect(() => decoded(() => {}, { nodes: missing, instances: "x" })).toThrow(missing);
    expect(() => decoded(() => {}, { nodes: missing, groups: "x" })).toThrow("Parsing group data");
  });
});
