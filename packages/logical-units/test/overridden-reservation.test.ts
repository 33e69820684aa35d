// Failed commits with values other than the reserved ones: the reservation stays or is restored.

import type { Snapshot } from "@ganeti-ts/config";
import { createMemoryStore, defaultPolicy, isReserved, newAddressPool } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import {
  type Clock,
  isFinalized,
  type JobStatus,
  type JsonObject,
  NetworkUuid,
  systemClock,
} from "@ganeti-ts/protocol";
import type { HostSpecification } from "@ganeti-ts/simulated-nodes";
import { faultsAtRest } from "@ganeti-ts/simulated-nodes/at-rest";
import { isThorough } from "@ganeti-ts/testkit";
import { Fuse } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { recoverHeld } from "../src/recovery.js";
import { reportedNodeMemory } from "./support/cluster.js";
import { failed } from "./support/results.js";
import {
  copiesOf,
  type SimulatedCluster,
  type SimulatedOptions,
  simulatedCluster,
} from "./support/simulated.js";

interface Kind {
  readonly what: string;
  /** Further or other values of the reservation. */
  readonly reserved?: JsonObject;
  /** Values given at the commit. */
  readonly given: JsonObject;
}

const other = { network: "net1", ip: "198.51.100.5" };
const kinds: readonly Kind[] = [
  { what: "bigger disks", given: { disks: [{ size: 2048 }] } },
  { what: "smaller disks", given: { disks: [{ size: 512 }] } },
  { what: "more disks", given: { disks: [{}, { size: 512 }] } },
  {
    what: "fewer disks",
    reserved: { disks: [{ size: 1024 }, { size: 512 }] },
    given: { disks: [{}] },
  },
  { what: "disks on one node", given: { disk_template: "plain", disks: [{ size: 1536 }] } },
  {
    what: "disks in files",
    reserved: { disk_template: "plain" },
    given: { disk_template: "file", disks: [{ size: 512 }] },
  },
  { what: "no disks", given: { disk_template: "diskless", disks: [] } },
  {
    what: "another address and MAC",
    given: { nics: [{ ...other, mac: "aa:00:00:00:00:07" }, {}] },
  },
  { what: "another network", given: { nics: [{ network: "net2", ip: "pool" }, {}] } },
  { what: "an address outside", given: { nics: [{}, { ip: "203.0.113.78" }] } },
  { what: "no NICs", given: { nics: [] } },
  { what: "more memory", given: { beparams: { memory: 1024, vcpus: 2, spindle_use: 3 } } },
  { what: "less memory", given: { beparams: { memory: 256 } } },
  {
    what: "more memory and no start",
    given: { beparams: { memory: 1024, vcpus: 2 }, start: false },
  },
  {
    what: "a hypervisor that needs a port",
    reserved: { hypervisor: "xen-pvm" },
    given: { hypervisor: "kvm" },
  },
  { what: "another OS", given: { os_type: "noop+other", osparams: { flavour: "b" }, tags: ["b"] } },
  {
    what: "everything",
    given: {
      disks: [{ size: 1280, mode: "ro" }, { size: 256 }],
      nics: [other],
      beparams: { memory: 768, vcpus: 2 },
      hypervisor: "xen-pvm",
      os_type: "noop+other",
    },
  },
];

/** A clock a thousand times as fast: a job without room retries once a second. */
const clock: Clock = {
  ...systemClock,
  after: (delayMs, then) => systemClock.after(delayMs / 1000, then),
};
const templates = ["drbd", "plain", "file", "diskless"] as const;
/** Small enough to be filled up completely. */
const host: Partial<HostSpecification> = {
  memoryTotalMib: 3072,
  memoryNodeMib: 1024,
  cpuTotal: 4,
  fileSystemMib: 2048,
  volumeGroups: { xenvg: { "/dev/sda": 5120 } },
  operatingSystems: [
    {
      name: "noop",
      path: "/srv/noop",
      valid: true,
      fault: "",
      apiVersions: [20],
      variants: ["default", "other"],
      parameters: [["flavour", "any"]],
      trusted: true,
    },
  ],
};
const networks = { net1: "198.51.100.0/29", net2: "203.0.113.0/29" };
const [{ min, max }] = defaultPolicy(templates).minmax as [{ min: object; max: object }];
const none = Object.fromEntries(Object.keys(min).map((key) => [key, 0]));
const options: SimulatedOptions = {
  host,
  cluster: {
    enabled_disk_templates: [...templates],
    ...reportedNodeMemory,
    file_storage_dir: "/srv/files",
    enabled_hypervisors: ["kvm", "xen-pvm"],
    ipolicy: {
      ...defaultPolicy(templates),
      minmax: [{ min: none, max }] as never,
    },
  },
};

const reservation: JsonObject = {
  OP_ID: "OP_INSTANCE_CREATE",
  forthcoming: true,
  instance_name: "web1.example.com",
  pnode: "node1",
  snode: "node2",
  disk_template: "drbd",
  disks: [{ size: 1024 }],
  nics: [
    { network: "net1", ip: "pool", mac: "aa:00:00:00:00:01" },
    { ip: "203.0.113.77", mac: "aa:00:00:00:00:02" },
  ],
  beparams: { memory: 512, vcpus: 1 },
  hypervisor: "kvm",
  os_type: "noop+default",
  osparams: { flavour: "a" },
  tags: ["a"],
};
const commit = (given: JsonObject = {}): JsonObject => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name: "web1.example.com",
  commit: true,
  osparams: {},
  ...given,
});

async function staged(kind: Kind, more: SimulatedOptions = {}): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster({ ...options, ...more });
  const [group] = cluster.config.snapshot.groups();
  if (group === undefined) throw new Error("there is a group");
  const made = Object.entries(networks).map(([name, network], at) => ({
    uuid: NetworkUuid.parse(`22222222-2222-4222-8222-22222222222${at}`),
    name,
    network,
    tags: [],
    ...newAddressPool(network),
  }));
  const params = { mode: "bridged", link: "xen-br0", vlan: "" } as const;
  const connections = Object.fromEntries(made.map(({ uuid }) => [uuid, params]));
  await cluster.put(...made.map((object) => ({ kind: "put", type: "network", object }) as const), {
    kind: "put",
    type: "group",
    object: { ...group, networks: connections },
  });
  const { status, result } = await cluster.run({ ...reservation, ...kind.reserved });
  expect(status, JSON.stringify(result)).toBe("success");
  return cluster;
}

/** The state of the reservation and its exclusive resources, without serial numbers and times. */
function keptOf(now: Snapshot) {
  const web1 = now.expectInstance("web1");
  const own = <O extends object>({ ...object }: O) => {
    for (const stamp of ["serial_no", "mtime"]) delete object[stamp as keyof O];
    return object;
  };
  const addresses = web1.nics.map(({ ip, network: uuid }) => {
    const network = uuid === undefined ? undefined : now.network(uuid);
    return ip !== undefined && network !== undefined && isReserved(network, ip, "instances");
  });
  return { web1: own(web1), disks: now.disksOf(web1).map(own), addresses };
}

/** Ports that are neither in use nor in the pool. */
function lostPorts(now: Snapshot): readonly number[] {
  const { tcpudp_port_pool: free, highest_used_port: last } = now.cluster;
  const used = [
    ...[...now.instances()].map(({ network_port }) => network_port),
    ...[...now.disks()].map(({ logical_id }) => logical_id?.[2]),
  ];
  const first = 11_000;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at).filter(
    (port) => !used.includes(port) && !free.includes(port),
  );
}

/** Reserves all remaining resources; returns how much that was. */
async function takeAll({ queue }: Pick<SimulatedCluster, "queue">): Promise<number> {
  const isDone = async (opcode: JsonObject) => {
    const id = await queue.submit([opcode]);
    for (;;) {
      const [row] = await queue.query([id], ["status"]);
      if (isFinalized(row?.[0] as JobStatus)) return row?.[0] === "success";
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const any = { OP_ID: "OP_INSTANCE_CREATE", forthcoming: true, disk_template: "diskless" };
  const wishes: JsonObject[] = [
    { instance_name: "web1.example.com" },
    ...["net1", "net2"].map((network) => ({ nics: [{ network, ip: "pool" }] })),
    ...["01", "02", "07"].map((end) => ({ nics: [{ mac: `aa:00:00:00:00:${end}` }] })),
    ...["node1", "node2"].flatMap((pnode) => [
      ...[512, 128].map((memory) => ({ pnode, beparams: { memory } })),
      ...[1024, 128].flatMap((size) =>
        ["plain", "file"].map((disk_template) => ({
          pnode,
          disk_template,
          disks: [{ size }],
          beparams: { memory: 0, vcpus: 0 },
        })),
      ),
    ]),
  ];
  let count = 0;
  for (const wish of wishes) {
    while (await isDone({ ...any, ...wish })) count++;
  }
  return count;
}

/** The configuration is consistent, and the reservation is unchanged and can become real. */
async function expectUntouched(cluster: SimulatedCluster, before: unknown, where: string) {
  const { config, simulated, run } = cluster;
  expect(keptOf(config.snapshot), where).toEqual(before);
  expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
  expect(lostPorts(config.snapshot), where).toEqual([]);
  const { status, result } = await run(commit());
  expect(status, `${where}: ${JSON.stringify(result)}`).toBe("success");
}

/** Runs jobs of another client before the first of each of those calls. */
function meddled(calls: readonly string[], meddle: () => Promise<unknown>) {
  const left = new Set(calls);
  return (nodes: NodeBackend): NodeBackend => ({
    introduce: (node) => nodes.introduce(node),
    async call(node, name, args, caller) {
      if (left.delete(name)) await meddle();
      return nodes.call(node, name, args, caller);
    },
  });
}

describe("a reservation that is made real with", () => {
  test.each(kinds)("$what becomes real while other jobs take all other resources", async (kind) => {
    const isMore = /bigger|more|one node|another|port|everything/.test(kind.what);
    const taken: number[] = [];
    const meddle = async () => taken.push(await takeAll(cluster));
    const cluster = await staged(kind, {
      ...(isMore ? { clock } : {}),
      between: meddled(isMore ? ["blockdev_create"] : [], () => meddle()),
    });
    const { run, config, simulated } = cluster;
    const before = keptOf(config.snapshot);
    const { status, result } = await run(commit(kind.given));
    expect(status, JSON.stringify(result)).toBe("success");
    const after = keptOf(config.snapshot);
    if (isMore) expect(taken[0]).toBeGreaterThan(8);
    expect(after.web1).not.toMatchObject({ forthcoming: true });
    const told = ({ web1, disks }: typeof before) =>
      JSON.stringify([
        web1.beparams,
        web1.nics,
        web1.os,
        web1.hypervisor,
        disks.map(({ size, dev_type }) => [size, dev_type]),
      ]);
    expect(told(after)).not.toBe(told(before));
    expect(faultsAtRest(config.snapshot, simulated)).toEqual([]);
    expect(lostPorts(config.snapshot)).toEqual([]);
  });

  const withDisks = kinds.filter(({ given }) => given.disk_template !== "diskless");

  test.each(withDisks)("$what stays unchanged when a disk cannot be made", async (kind) => {
    const cluster = await staged(kind);
    const { config } = cluster;
    const before = keptOf(config.snapshot);
    const { serial_no } = config.snapshot.expectInstance("web1");
    cluster.simulated.fail({ kind: "refused", call: "blockdev_create", times: 1 });
    const { status, result } = await cluster.run(commit(kind.given));
    expect(status).toBe("error");
    expect(JSON.stringify(result)).toContain("Can't create block device");
    expect(config.snapshot.expectInstance("web1").serial_no).toBe(serial_no);
    await expectUntouched(cluster, before, kind.what);
  });

  // Half of them take less than is reserved, and "everything" takes more.
  test.each(withDisks.filter((_, at) => isThorough || at % 2 === 1))(
    "$what is restored when its disks turn out bad, even if other jobs take all other resources",
    async (kind) => {
      const taken: number[] = [];
      const meddle = async () => taken.push(await takeAll(cluster));
      const cluster = await staged(kind, {
        clock,
        between: meddled(["blockdev_wipe"], () => meddle()),
        cluster: { ...options.cluster, prealloc_wipe_disks: true },
      });
      const before = keptOf(cluster.config.snapshot);
      cluster.simulated.fail({ kind: "refused", call: "blockdev_wipe", times: 1 });
      const { status, result } = await cluster.run(commit(kind.given));
      const text = "There are some degraded disks for this instance";
      expect([status, result]).toEqual(["error", failed(text)]);
      expect(taken[0]).toBeGreaterThan(8);
      await expectUntouched(cluster, before, kind.what);
    },
  );

  // These cases differ in reserved resources and in devices to remove.
  const telling = ["everything", "disks in files"];
  test.each(kinds.filter(({ what }) => telling.includes(what)))(
    "$what is either restored or real after the server dies",
    async (kind) => {
      const seen = { dead: 0, real: 0, taken: 0 };
      const staging = createMemoryStore();
      const first = await staged(kind, { store: staging });
      first.die();
      const before = keptOf(first.config.snapshot);
      const copied = await copiesOf(first, staging);
      for (let at = 1; ; at++) {
        const { store, simulated } = await copied();
        const fuse = new Fuse(at, "before");
        const doomed = await simulatedCluster({
          ...options,
          store: fuse.store(store),
          simulated,
          seed: 2,
          between: (nodes) => fuse.nodes(nodes),
        });
        const ends = doomed.run(commit(kind.given)).then(() => true);
        const hasEnded = await Promise.race([fuse.over.then(() => false), ends]);
        doomed.die();
        if (hasEnded) break;
        seen.dead++;
        // Only sometimes, because it takes long.
        const hasThieves = at % 8 === 5;
        const next = await simulatedCluster({
          ...options,
          store,
          simulated,
          seed: 3,
          ...(hasThieves ? { clock } : {}),
        });
        const { config } = next;
        const where = `dead before effect ${at}`;
        if (hasThieves) seen.taken += await takeAll(next);
        const ports = {
          config,
          nodes: simulated,
          lease: "9:1",
          signal: new AbortController().signal,
        };
        await recoverHeld(ports, async () => true);
        if (config.snapshot.expectInstance("web1").forthcoming) {
          await expectUntouched(next, before, where);
          continue;
        }
        seen.real++;
        expect(config.snapshot.expectInstance("web1"), where).toMatchObject({ admin_state: "up" });
        expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
        expect(lostPorts(config.snapshot), where).toEqual([]);
      }
      for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(1);
    },
  );
});
