// Crashes: a server dies, or a job is killed, between any two effects of an operation, or the answer of a node is lost,
// and the next server finds a consistent cluster.
import { type ConfigStore, createMemoryStore, defaultPolicy } from "@ganeti-ts/config";
import { type Clock, type JsonObject, systemClock } from "@ganeti-ts/protocol";
import { setVolume } from "@ganeti-ts/simulated-nodes";
import { describe, expect, test } from "vitest";
import { makeFiller } from "./support/filler.js";
import { Fuse, Killing, LosingAnswer } from "./support/fuse.js";
import { faultsAtRest } from "./support/invariants.js";
import { killAll } from "./support/kill-all.js";
import { lostData, lostSystems } from "./support/lost-data.js";
import { aMinuteLater, recoverAll } from "./support/next-server.js";
import { commandsOfVerification, isOldCopy, opcodeOf } from "./support/old-copies.js";
import { type SimulatedCluster, simulatedCluster, simulatedNodes } from "./support/simulated.js";

const create = (more: JsonObject = {}): JsonObject => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name: "web1.example.com",
  mode: "create",
  os_type: "noop+default",
  disk_template: "plain",
  disks: [{ size: 1024 }],
  nics: [{}],
  pnode: "node1.example.com",
  beparams: { memory: 512 },
  hypervisor: "kvm",
  ...more,
});
const mirrored = { disk_template: "drbd", snode: "node2.example.com" };
const about = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
  OP_ID,
  instance_name: "web1.example.com",
  ...more,
});

interface Scenario {
  readonly name: string;
  readonly before: readonly JsonObject[];
  readonly opcode: JsonObject;
  /** Error of the repeated opcode if the interrupted one had finished. */
  readonly mayBeDone?: RegExp;
  /** Damages the nodes beforehand. */
  readonly damage?: (cluster: SimulatedCluster) => Promise<void>;
  /** Volume on the first node that is kept for its owner until it is part of an instance. */
  readonly adopts?: string;
  /** Removes the data of the instance, or finds them gone. */
  readonly isDestructive?: true;
  /** Jobs after which nothing is held any more; by default the same opcode. */
  readonly resolvedBy?: readonly JsonObject[];
}

const scenarios: readonly Scenario[] = [
  { name: "creation", before: [], opcode: create(), mayBeDone: /already in the cluster/ },
  {
    name: "creation of mirrored disks",
    before: [],
    opcode: create(mirrored),
    mayBeDone: /already in the cluster/,
  },
  {
    name: "the adoption of a volume",
    before: [],
    damage: (cluster) => makeFiller(cluster),
    adopts: "filler",
    opcode: create({ disks: [{ adopt: "filler" }], start: false }),
    mayBeDone: /already in the cluster/,
  },
  {
    name: "making a reservation real",
    before: [create({ ...mirrored, forthcoming: true })],
    opcode: create({ commit: true, pnode: null, disks: null, nics: null }),
    mayBeDone: /not forthcoming but --commit/,
  },
  {
    name: "start",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_INSTANCE_STARTUP"),
  },
  {
    name: "full reboot",
    before: [create()],
    opcode: about("OP_INSTANCE_REBOOT", { reboot_type: "full" }),
  },
  {
    name: "renaming",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_RENAME", { new_name: "web2.example.com" }),
    mayBeDone: /'web1.example.com' not known/,
  },
  {
    name: "giving an instance mirrors",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: "drbd", remote_node: "node2" }),
    mayBeDone: /already has disk template drbd/,
  },
  {
    name: "adding a disk",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disks: [["add", -1, { size: 1024 }]] }),
  },
  {
    name: "taking the mirrors of an instance away",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: "plain" }),
    mayBeDone: /already has disk template plain/,
  },
  {
    name: "another template",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: "file" }),
    mayBeDone: /already has disk template file/,
  },
  {
    name: "a move",
    before: [create()],
    opcode: about("OP_INSTANCE_MOVE", { target_node: "node2.example.com" }),
    mayBeDone: /is already on the node/,
  },
  {
    name: "replacing disks in their place",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", { mode: "replace_on_secondary" }),
  },
  {
    name: "another secondary node",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", {
      mode: "replace_new_secondary",
      remote_node: "node3.example.com",
    }),
    mayBeDone: /is already the secondary node/,
  },
  {
    name: "replacing disks on the primary",
    before: [create({ ...mirrored, disks: [{ size: 1024 }, { size: 2048 }] })],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", { mode: "replace_on_primary" }),
  },
  {
    name: "replacing disks of a stopped instance",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", { mode: "replace_on_secondary" }),
  },
  {
    name: "replacing faulty disks",
    before: [create(mirrored)],
    damage: ({ simulated, nodes }) =>
      simulated.breakPhysicalVolume(nodes[1] ?? "", "xenvg", "/dev/sda3"),
    opcode: about("OP_INSTANCE_REPLACE_DISKS", { mode: "replace_auto" }),
  },
  {
    name: "another secondary node, released early",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", {
      mode: "replace_new_secondary",
      remote_node: "node3.example.com",
      early_release: true,
    }),
    mayBeDone: /is already the secondary node/,
  },
  {
    name: "another secondary node, chosen by an allocator",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", {
      mode: "replace_new_secondary",
      iallocator: "hail",
    }),
  },
  {
    name: "the evacuation of secondaries",
    before: [create(mirrored)],
    opcode: {
      OP_ID: "OP_NODE_EVACUATE",
      node_name: "node2.example.com",
      mode: "secondary-only",
      iallocator: "hail",
    },
  },
  {
    name: "an export of a running instance",
    before: [create()],
    opcode: about("OP_BACKUP_EXPORT", { target_node: "node2.example.com" }),
  },
  {
    name: "an export of mirrored disks of a stopped instance",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_BACKUP_EXPORT", { target_node: "node3.example.com" }),
  },
  {
    name: "an export that takes the instance with it",
    isDestructive: true,
    before: [create()],
    opcode: about("OP_BACKUP_EXPORT", { target_node: "node2.example.com", remove_instance: true }),
    // The disks may be removed already.
    resolvedBy: [about("OP_INSTANCE_REMOVE")],
    mayBeDone: /'web1.example.com' not known/,
  },
  {
    name: "a live migration",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_MIGRATE"),
    resolvedBy: [about("OP_INSTANCE_MIGRATE", { cleanup: true })],
    mayBeDone: /does not seem to be running at all/,
  },
  {
    name: "a failover",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_FAILOVER"),
    resolvedBy: [
      about("OP_INSTANCE_ACTIVATE_DISKS", { wait_for_sync: true }),
      about("OP_INSTANCE_FAILOVER"),
    ],
  },
  {
    name: "growing a disk",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_GROW_DISK", { disk: 0, amount: 256 }),
  },
  {
    name: "making lost disks again",
    isDestructive: true,
    before: [create({ ...mirrored, start: false })],
    damage: async ({ simulated, nodes }) => {
      for (const node of nodes) {
        const state = simulated.stateOf(node);
        for (const group of Object.values(state?.volumeGroups ?? {})) {
          for (const name of Object.keys(group.volumes)) setVolume(group, name, undefined);
        }
      }
    },
    opcode: about("OP_INSTANCE_RECREATE_DISKS"),
    mayBeDone: /already exists in volume group/,
  },
  {
    name: "a new installation",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_REINSTALL", { os_type: "noop+default" }),
  },
  {
    name: "an import",
    before: [
      create({ start: false }),
      about("OP_BACKUP_EXPORT", { target_node: "node2.example.com", remove_instance: true }),
    ],
    opcode: create({ mode: "import", src_node: "node2.example.com", disks: [{ size: 1024 }] }),
    mayBeDone: /already in the cluster/,
  },
  {
    name: "removal",
    isDestructive: true,
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REMOVE"),
    mayBeDone: /'web1.example.com' not known/,
  },
];

const ways = [
  "dies before",
  "dies after",
  "is killed before",
  "is killed after",
  "gets no answer",
] as const;
type Way = (typeof ways)[number];

describe("a server that dies, or a job that is killed or loses an answer, during", () => {
  test.each(scenarios)("$name leaves no devices without an owner", async (one) => {
    const seen = { cuts: 0, recovered: 0 };
    for (const way of ways) {
      for (let at = 1; ; at++) {
        const { wasCut, droppedCount } = await cutOnce(one, at, way);
        if (!wasCut) break;
        seen.cuts++;
        if (droppedCount > 0) seen.recovered++;
      }
    }
    expect(seen.cuts).toBeGreaterThan(6);
    if (!withoutClaim.has(one.name)) expect(seen.recovered).toBeGreaterThan(3);
  });
});

/** Operations that hold no resources of nodes beyond those of their instance. */
const withoutClaim = new Set([...["removal", "renaming", "full reboot", "a new installation"]]);

async function cutOnce(scenario: Scenario, at: number, way: Way) {
  const { before, opcode, mayBeDone, damage, adopts, resolvedBy = [opcode] } = scenario;
  const store = createMemoryStore();
  const host = { volumeGroups: { xenvg: { "/dev/sda3": 20_000, "/dev/sdb1": 20_000 } } };
  const simulated = await simulatedNodes(host, { nodeCount: 3 });
  const templates = ["plain", "drbd", "file"] as const;
  const cluster = { enabled_disk_templates: templates, file_storage_dir: "/srv/files" };
  const all = { store, simulated, nodeCount: 3 };
  const first = await simulatedCluster({
    ...all,
    cluster: { ...cluster, ipolicy: defaultPolicy(templates) },
  });
  for (const one of before) {
    const ran = await first.run(one);
    expect(ran.status, JSON.stringify(ran.result)).toBe("success");
  }
  await damage?.(first);
  const instances = [...first.config.snapshot.instances()];
  const reserved = instances.find((one) => one.forthcoming);
  const wasInstalled =
    instances.length > 0 && reserved === undefined && scenario.isDestructive !== true;

  const wasCut = await cut({ ...all, seed: 2 }, store, opcode, at, way);
  const where = `at effect ${at}: ${way} it`;
  const next = await simulatedCluster({ ...all, seed: 3, clock: aMinuteLater });
  const faults = () => {
    const { snapshot } = next.config;
    const found = [...faultsAtRest(snapshot, simulated)];
    if (scenario.isDestructive !== true) found.push(...lostData(snapshot, simulated));
    if (wasInstalled) found.push(...lostSystems(snapshot, simulated));
    const isOwn = adopts === undefined || next.volumesOn(1).includes(adopts);
    if (!isOwn && [...snapshot.instances()].length === 0) found.push(`${adopts} is lost`);
    return found;
  };
  let dropped = await recover(next);
  // Old copies are kept until a new one is complete; verification names them with the command that
  // completes it.
  const open = next.config.snapshot.heldInstances().filter((held) => isOldCopy(next, held));
  const told = new Set(open.map(({ uuid }) => `${uuid} is still held`));
  expect(
    faults().filter((fault) => !told.has(fault)),
    where,
  ).toEqual([]);
  if (reserved !== undefined) {
    expect(next.config.snapshot.instance(reserved.uuid)?.disks, where).toEqual(reserved.disks);
  }
  if (!wasCut) expect(open, where).toEqual([]);
  if (open.length > 0) {
    expect(await commandsOfVerification(next), where).toEqual([
      expect.stringMatching(/^gnt-instance (activate-disks|replace-disks -[ps]) web1.example.com$/),
    ]);
  }
  if (!wasCut) return { wasCut, droppedCount: dropped.length };
  for (const one of resolvedBy) {
    const again = await next.run(one);
    const isDone = again.status === "success" || mayBeDone?.test(JSON.stringify(again.result));
    expect(isDone, `${where}: ${JSON.stringify(again.result)}`).toBe(true);
  }
  dropped = [...dropped, ...(await recover(next))];
  for (const command of await commandsOfVerification(next)) {
    const ran = await next.run(opcodeOf(command));
    expect(ran.status, `${where}: ${command}: ${JSON.stringify(ran.result)}`).toBe("success");
    await recover(next);
  }
  expect(faults(), where).toEqual([]);
  return { wasCut, droppedCount: dropped.length };
}

/** Whether the operation was interrupted there; it has no further effects otherwise. */
async function cut(
  options: Parameters<typeof simulatedCluster>[0],
  store: ConfigStore,
  opcode: JsonObject,
  at: number,
  way: Way,
): Promise<boolean> {
  const place = way.endsWith("before") ? "before" : "after";
  if (way.startsWith("dies")) {
    const fuse = new Fuse(at, place);
    const doomed = await simulatedCluster({
      ...options,
      store: fuse.store(store),
      between: (nodes) => fuse.nodes(nodes),
    });
    return Promise.race([fuse.over.then(() => true), doomed.run(opcode).then(() => false)]);
  }
  if (way === "gets no answer") {
    const losing = new LosingAnswer(at);
    const between = losing.nodes.bind(losing);
    const deaf = await simulatedCluster({ ...options, clock: hurriedClock, between });
    await deaf.run(opcode);
    return losing.wasReached;
  }
  const killing = new Killing(at, place);
  const killed = await simulatedCluster({
    ...options,
    store: killing.store(store),
    between: (nodes) => killing.nodes(nodes),
  });
  killing.kill = () => killAll(killed.queue);
  await killed.run(opcode);
  while (killed.queue.heldCount > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  return killing.wasReached;
}

/** Waits for nodes take a thousandth of their time. */
const hurriedClock: Clock = {
  ...systemClock,
  after: (delayMs, then) => systemClock.after(delayMs / 1000, then),
};

const recover = ({ config, simulated }: SimulatedCluster) => recoverAll(config, simulated);
