import type { ClusterObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import {
  aCluster,
  aDrbdDisk,
  anInstance,
  aPlainDisk,
  nodeNamed,
  put,
  seeded,
} from "../../test/cluster.js";
import type { ConfigChange } from "../objects.js";
import { Snapshot } from "../snapshot.js";
import { consistencyFaults, faultsOfChanges } from "./consistency.js";

/** Two instances, one on drbd; nothing is wrong with them. */
function sound() {
  const random = seeded(3);
  const empty = Snapshot.of(aCluster());
  const [one, two] = [nodeNamed(empty, 1).uuid, nodeNamed(empty, 2).uuid];
  const drbd = aDrbdDisk(random, [one, two], { port: 11000, minors: [0, 0] });
  const plain = aPlainDisk(random, one);
  const nics = [{ uuid: "nic1", mac: "aa:00:00:00:00:01", ip: "198.51.100.1", nicparams: {} }];
  const web = anInstance(random, "web", one, { disks: [drbd.uuid], nics, network_port: 11001 });
  const db = anInstance(random, "db", one, { disks: [plain.uuid] });
  const cluster: ClusterObject = { ...empty.cluster, highest_used_port: 11001 };
  const changes: ConfigChange[] = [
    ...[put("instance", web), put("instance", db), put("disk", drbd), put("disk", plain)],
    { kind: "cluster", object: cluster },
  ];
  const now = empty.with(changes, { serial: 2, mtime: 2 });
  return { now, web, db, drbd, plain, cluster, one, two, node: nodeNamed(now, 1) };
}

type World = ReturnType<typeof sound>;
const cluster = (now: World, more: object): ConfigChange => ({
  kind: "cluster",
  object: { ...now.cluster, ...more } as ClusterObject,
});
const instance = (base: object, more: object) => put("instance", { ...base, ...more });

test("a sound configuration has no faults", () => {
  expect(consistencyFaults(sound().now)).toEqual([]);
});

const breaks: readonly (readonly [string, (w: World) => ConfigChange[], (w: World) => string[]])[] =
  [
    [
      "no hypervisor",
      (w) => [cluster(w, { enabled_hypervisors: [] })],
      () => ["enabled hypervisors list doesn't have any entries"],
    ],
    [
      "no disk template",
      (w) => [cluster(w, { enabled_disk_templates: [] })],
      () => ["enabled disk templates list doesn't have any entries"],
    ],
    [
      "a hypervisor without parameters",
      (w) => [cluster(w, { hvparams: {} })],
      () => ["hypervisor parameters of kvm are missing"],
    ],
    [
      "a master that is not there",
      (w) => [cluster(w, { master_node: "gone" })],
      () => ["cluster has invalid primary node 'gone'"],
    ],
    [
      "a master that is no candidate",
      (w) => [put("node", { ...w.node, master_candidate: false })],
      () => [
        "Master node is not a master candidate",
        "Not enough master candidates: actual 2, target 3",
      ],
    ],
    [
      "a node that is both drained and a candidate",
      (w) => [put("node", { ...w.node, drained: true })],
      ({ node }) => [
        `Node ${node.name} state is invalid: master_candidate=True, drain=True, offline=False`,
      ],
    ],
    [
      "a node of no group",
      (w) => [put("node", { ...w.node, group: "none" })],
      ({ node }) => [`Node '${node.name}' has invalid group 'none'`],
    ],
    [
      "a parameter that nodes do not have",
      (w) => [put("node", { ...w.node, ndparams: { exclusive_storage: true } })],
      ({ node }) => [`Node '${node.name}' has some global parameters set: exclusive_storage`],
    ],
    [
      "an address of two nodes",
      (w) => [put("node", { ...w.node, secondary_ip: "192.0.2.2" })],
      () => [
        "IP address 192.0.2.2 is used by multiple owners: node:node1.example.com/secondary, node:node2.example.com/primary",
      ],
    ],
    [
      "a primary node that is not there",
      (w) => [instance(w.db, { primary_node: "gone", disks: [] })],
      () => ["instance 'db' has invalid primary node 'gone'"],
    ],
    [
      "a node that goes and has instances",
      (w) => [{ kind: "remove", type: "node", uuid: w.two }],
      ({ two }) => [`instance 'web' has invalid secondary node '${two}'`],
    ],
    [
      "a disk that is not there",
      (w) => [{ kind: "remove", type: "disk", uuid: w.plain.uuid }],
      ({ plain }) => [`Instance 'db' has invalid disk '${plain.uuid}'`],
    ],
    [
      "a disk of two instances",
      (w) => [
        instance(w.db, { disks: [w.plain.uuid] }),
        instance(w.web, { disks: [w.plain.uuid] }),
      ],
      ({ plain }) => [`Disk '${plain.uuid}' is attached to several instances: `],
    ],
    [
      "a disk that is elsewhere",
      (w) => [put("disk", { ...w.plain, nodes: [w.two] })],
      ({ plain }) => [`Disk '${plain.uuid}' of instance 'db' is not on its primary node`],
    ],
    [
      "a disk out of order",
      (w) => [put("disk", { ...w.plain, iv_name: "disk/5" })],
      () => [
        "Instance 'db' has wrongly named disks: name of disk 0 should be 'disk/0', but is 'disk/5'",
      ],
    ],
    [
      "a real instance on a disk that is to come",
      (w) => [put("disk", { ...w.plain, forthcoming: true })],
      ({ plain }) => [`Instance 'db' and its disk '${plain.uuid}' are not both forthcoming`],
    ],
    [
      "a MAC address of two NICs",
      (w) => [instance(w.db, { nics: [{ uuid: "n2", mac: "AA:00:00:00:00:01", nicparams: {} }] })],
      () => ["has NIC 0 mac "],
    ],
    [
      "an address of two NICs on one link",
      (w) => [
        instance(w.db, {
          nics: [{ uuid: "n2", mac: "aa:00:00:00:00:02", ip: "198.51.100.1", nicparams: {} }],
        }),
      ],
      () => ["IP address bridge:xen-br0/198.51.100.1/None is used by multiple owners: instance:"],
    ],
    [
      "a routed NIC without an address",
      (w) => [
        instance(w.db, {
          nics: [{ uuid: "n2", mac: "aa:00:00:00:00:02", nicparams: { mode: "routed" } }],
        }),
      ],
      () => [
        "instance db nic 0 has invalid nicparams: Routed nic mode requires an ip address if not attached to a network",
      ],
    ],
    [
      "less memory at most than at least",
      (w) => [instance(w.db, { beparams: { maxmem: 64 } })],
      () => ["instance db has invalid beparams: minmem (128) must not be larger than maxmem (64)"],
    ],
    [
      "a value of the wrong kind",
      (w) => [instance(w.db, { beparams: { vcpus: "two" } })],
      () => ["instance db has invalid beparams: vcpus: "],
    ],
    [
      "a port of a disk and an instance",
      (w) => [instance(w.db, { network_port: 11000 })],
      () => ["tcp/udp port 11000 has duplicates: "],
    ],
    [
      "a port that is free and is not",
      (w) => [cluster(w, { tcpudp_port_pool: [11001] })],
      () => ["tcp/udp port 11001 has duplicates: web/network port, cluster/port marked as free"],
    ],
    [
      "a port above all",
      (w) => [instance(w.db, { network_port: 11005 })],
      () => ["Highest used port mismatch, saved 11001, computed 11005"],
    ],
    [
      "a minor of two disks",
      (w) => [
        put("disk", aDrbdDisk(seeded(9), [w.one, w.two], { port: 11001, minors: [0, 1] })),
        instance(w.web, { network_port: undefined }),
      ],
      () => ["DRBD minor 0 on node 'node1.example.com' is used by several disks: "],
    ],
    [
      "a volume of two disks",
      (w) => [put("disk", { ...aPlainDisk(seeded(9), w.one), logical_id: w.plain.logical_id })],
      () => ["logical volume xenvg/"],
    ],
    [
      "a name of two instances",
      (w) => [instance(w.db, { name: "web" })],
      () => ["duplicate instance name 'web'"],
    ],
    [
      "a group that is called like a UUID",
      (w) => [put("group", { ...w.now.expectGroup("default"), name: w.cluster.uuid })],
      ({ cluster: { uuid }, now }) => [
        `node group '${uuid}' (uuid: '${now.expectGroup("default").uuid}') has uuid-like name`,
      ],
    ],
    [
      "a group with a policy that is none",
      (w) => [put("group", { ...w.now.expectGroup("default"), ipolicy: { "disk-templates": [] } })],
      () => [
        "group default has invalid instance policy: Instance policy must contain at least one disk template",
      ],
    ],
    [
      "an access mode that is none",
      (w) => [cluster(w, { diskparams: { rbd: { access: "both" } } })],
      () => ["Invalid value of 'rbd:access': 'both' (expected one of kernelspace, userspace)"],
    ],
  ];

test.each(breaks)("%s is a fault, and the change that makes it shows it", (_, breaking, texts) => {
  const world = sound();
  const changes = breaking(world);
  const after = world.now.with(changes, { serial: 3, mtime: 3 });
  const found = faultsOfChanges(world.now, after, changes);
  const expected = texts(world);
  expect(found).toHaveLength(expected.length);
  for (const [at, text] of expected.entries()) expect(found[at]).toContain(text);
  expect([...consistencyFaults(after)].sort()).toEqual([...found].sort());
});

test("a larger pool of candidates is a fault, which later changes of the cluster do not repeat", () => {
  const world = sound();
  const smaller = cluster(world, { candidate_pool_size: 2 });
  const other = put("node", { ...nodeNamed(world.now, 2), master_candidate: false });
  const before = world.now.with([smaller, other], { serial: 3, mtime: 3 });
  expect(consistencyFaults(before)).toEqual([]);
  const changes = [cluster({ ...world, cluster: before.cluster }, { candidate_pool_size: 3 })];
  const after = before.with(changes, { serial: 4, mtime: 4 });
  const fault = "Not enough master candidates: actual 2, target 3";
  expect(faultsOfChanges(before, after, changes)).toEqual([fault]);
  expect(consistencyFaults(after)).toEqual([fault]);
  const later = [cluster({ ...world, cluster: after.cluster }, { highest_used_port: 11002 })];
  const latest = after.with(later, { serial: 5, mtime: 5 });
  expect(faultsOfChanges(after, latest, later)).toEqual([]);
});

test("values missing in a forthcoming instance are not faults", () => {
  const { now } = sound();
  const bare = { uuid: "11111111-1111-4111-8111-111111111111", forthcoming: true };
  const changes = [put("instance", { ...bare, disks: [], nics: [{ uuid: "n9" }], tags: [] })];
  const after = now.with(changes, { serial: 3, mtime: 3 });
  expect(consistencyFaults(after)).toEqual([]);
});
