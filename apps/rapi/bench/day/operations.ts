// Operations of administrators on a cluster, each with all of its jobs, and failures of machines.
import type { Cluster, EndedJob } from "@ganeti-ts/cluster";
import type { Clock, JobId, Json, JsonObject, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import type { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import type { Population } from "./population.js";
import type { EventKind } from "./trace.js";

/** The cluster of a day, and the state that its administrators keep. */
export interface Site {
  readonly cluster: Cluster;
  readonly simulated: SimulatedNodes;
  readonly clock: Clock;
  /** Names of the instances that no operation is about to remove. */
  readonly instances: Population;
  /** Names of the nodes that are up and in use, without the master node. */
  readonly nodes: Population;
  readonly groups: readonly string[];
  /** Number of names given so far. */
  made: number;
  /** Number of nodes out of use for maintenance. */
  underMaintenance: number;
  /** Errors of jobs, by text without names and numbers. */
  readonly failures: Map<string, number>;
}

/** Resolves at the end of the operation with whether every job has succeeded. */
export type Operation = (site: Site, choice: number) => Promise<boolean>;

const minuteMs = 60_000;
/** Time until the administrators mark a failed node offline, for which it stays away, and for which a restart takes. */
const noticedMs = 2 * minuteMs;
const repairMs = 90 * minuteMs;
const restartMs = 5 * minuteMs;

export const operations: Readonly<Record<EventKind, Operation>> = {
  async create(site, choice) {
    const instance_name = `new${site.made++}.example.com`;
    const isDone = await succeeds(site, [
      {
        OP_ID: "OP_INSTANCE_CREATE",
        instance_name,
        mode: "create",
        os_type: "noop+default",
        disk_template: oneOf([..."dddddddddp"], choice) === "p" ? "plain" : "drbd",
        disks: [{ size: oneOf([10_240, 20_480, 51_200], choice * 10) }],
        nics: [{}],
        beparams: { memory: oneOf([1024, 2048, 4096], choice * 100) },
        iallocator: "hail",
      },
    ]);
    if (isDone) site.instances.add(instance_name);
    return isDone;
  },

  async remove(site, choice) {
    const instance_name = site.instances.chosen(choice) as string;
    site.instances.remove(instance_name);
    return succeeds(site, [{ OP_ID: "OP_INSTANCE_REMOVE", instance_name }]);
  },

  modify: (site, choice) =>
    succeeds(site, [
      {
        OP_ID: "OP_INSTANCE_SET_PARAMS",
        instance_name: anInstance(site, choice),
        beparams: { vcpus: oneOf([1, 2, 3, 4], choice * 1000) },
      },
    ]),

  tag: (site, choice) =>
    succeeds(site, [
      {
        OP_ID: "OP_TAGS_SET",
        kind: "instance",
        name: anInstance(site, choice),
        tags: [`owner:${Math.floor(choice * 1e6) % 100}`],
      },
    ]),

  restart: (site, choice) => {
    const instance_name = anInstance(site, choice);
    return succeeds(site, [
      { OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name },
      { OP_ID: "OP_INSTANCE_STARTUP", instance_name },
    ]);
  },

  migrate: (site, choice) =>
    succeeds(site, [{ OP_ID: "OP_INSTANCE_MIGRATE", instance_name: aMirrored(site, choice) }]),

  grow: (site, choice) =>
    succeeds(site, [
      {
        OP_ID: "OP_INSTANCE_GROW_DISK",
        instance_name: anInstance(site, choice),
        ...{ disk: 0, amount: 1024, wait_for_sync: false },
      },
    ]),

  /** Crashes an instance, which the watcher restarts. */
  async crash({ cluster, simulated, instances }, choice) {
    const name = instances.chosen(choice) as string;
    const node = cluster.snapshot().findInstance(name)?.primary_node;
    if (node !== undefined) await simulated.stopInstance(node, name, "crash");
    return true;
  },

  /** Failure of a node: its instances fail over and get new mirrors; later the repaired machine returns. */
  async failure(site, choice) {
    const { nodes, simulated, clock } = site;
    const { name, uuid, master_candidate: auto_promote } = takenNode(site, choice);
    await simulated.powerOff(uuid);
    await passed(clock, noticedMs);
    const results = [await succeeds(site, [setParams(name, { offline: true, auto_promote })])];
    const failovers = mirroredOn(site, uuid).map((instance) => [
      {
        OP_ID: "OP_INSTANCE_FAILOVER",
        instance_name: instance.name,
        ignore_consistency: true,
      },
    ]);
    results.push(await allSucceed(site, failovers));
    results.push(await evacuates(site, name));
    await passed(clock, repairMs);
    await simulated.powerOn(uuid);
    results.push(await succeeds(site, [setParams(name, { offline: false })]));
    nodes.add(name);
    return results.every(Boolean);
  },

  /** Restart of a node: instances without a mirror are down meanwhile, and the watcher restarts them. */
  async maintenance(site, choice) {
    const { nodes, simulated, clock } = site;
    const { name, uuid, master_candidate: auto_promote } = takenNode(site, choice);
    const results = [await countMaintained(site, 1)];
    results.push(await succeeds(site, [setParams(name, { drained: true, auto_promote })]));
    const migrations = mirroredOn(site, uuid).map((instance) => [
      { OP_ID: "OP_INSTANCE_MIGRATE", instance_name: instance.name },
    ]);
    results.push(await allSucceed(site, migrations));
    results.push(await succeeds(site, [setParams(name, { offline: true })]));
    await simulated.powerOff(uuid);
    await passed(clock, restartMs);
    await simulated.powerOn(uuid);
    results.push(await succeeds(site, [setParams(name, { offline: false })]));
    nodes.add(name);
    results.push(await countMaintained(site, -1));
    return results.every(Boolean);
  },

  async balance(site, choice) {
    const group = oneOf(site.groups, choice);
    const opcode = { OP_ID: "OP_CLUSTER_BALANCE", groups: [group], max_moves: 10, execute: true };
    const { status, results } = await ended(site, [opcode]);
    return status === "success" && childrenSucceed(site, results);
  },
};

const oneOf = <Item>(items: readonly Item[], choice: number): Item =>
  items[Math.floor((choice % 1) * items.length)] as Item;

const anInstance = ({ instances }: Site, choice: number): string =>
  instances.chosen(choice) as string;

const aMirrored = ({ cluster, instances }: Site, choice: number): string => {
  const now = cluster.snapshot();
  return instances.chosen(choice, (name) => {
    const instance = now.findInstance(name);
    return instance !== undefined && now.disksOf(instance)[0]?.dev_type === "drbd";
  }) as string;
};

/** A node that no other operation takes until it is added again. */
function takenNode({ cluster, nodes }: Site, choice: number) {
  const name = nodes.chosen(choice) as string;
  nodes.remove(name);
  return cluster.snapshot().expectNode(name);
}

const mirroredOn = ({ cluster }: Site, node: NodeUuid): readonly RealInstance[] => {
  const now = cluster.snapshot();
  return now.instancesOfNode(node).primary.filter((instance): instance is RealInstance => {
    return !instance.forthcoming && now.disksOf(instance)[0]?.dev_type === "drbd";
  });
};

/**
 * While a node is away, instances mirrored there could not leave their primary nodes, so that hail would refuse all new
 * instances in all groups. Administrators permit them for the time of the maintenance.
 */
async function countMaintained(site: Site, change: 1 | -1): Promise<boolean> {
  const before = site.underMaintenance;
  site.underMaintenance += change;
  if (Math.min(before, site.underMaintenance) > 0) return true;
  const default_iallocator_params = change > 0 ? { "no-capacity-checks": "" } : {};
  return succeeds(site, [{ OP_ID: "OP_CLUSTER_SET_PARAMS", default_iallocator_params }]);
}

const setParams = (node_name: string, values: JsonObject): JsonObject => ({
  OP_ID: "OP_NODE_SET_PARAMS",
  node_name,
  ...values,
});

const passed = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.after(ms, resolve));

/** New mirrors for the instances whose secondary node it is. */
async function evacuates(site: Site, node_name: string): Promise<boolean> {
  const opcode = {
    OP_ID: "OP_NODE_EVACUATE",
    node_name,
    mode: "secondary-only",
    iallocator: "hail",
  };
  const { status, results } = await ended(site, [opcode]);
  return status === "success" && childrenSucceed(site, results);
}

/** Jobs that an operation has submitted. */
async function childrenSucceed(site: Site, results: readonly Json[]): Promise<boolean> {
  const { jobs = [] } = (results[0] ?? {}) as { readonly jobs?: readonly [boolean, JobId][] };
  const all = await Promise.all(jobs.map(async ([isJob, id]) => isJob && isSuccess(site, id)));
  return all.every(Boolean);
}

async function allSucceed(site: Site, jobs: readonly (readonly JsonObject[])[]): Promise<boolean> {
  if (jobs.length === 0) return true;
  const submitted = await site.cluster.queue.submitMany(jobs);
  const all = submitted.map(async ([isJob, id]) => isJob && isSuccess(site, id));
  return (await Promise.all(all)).every(Boolean);
}

const succeeds = async (site: Site, opcodes: readonly JsonObject[]): Promise<boolean> =>
  isSuccess(site, await site.cluster.queue.submit(opcodes));

const ended = async (site: Site, opcodes: readonly JsonObject[]): Promise<EndedJob> => {
  const id = await site.cluster.queue.submit(opcodes);
  await isSuccess(site, id);
  return site.cluster.queue.ended(id);
};

async function isSuccess({ cluster, failures }: Site, id: JobId): Promise<boolean> {
  const { status, results } = await cluster.queue.ended(id);
  if (status === "success") return true;
  const text = JSON.stringify(results.at(-1))
    .replace(/[\w-]*\d[\w.-]*/g, "#")
    .slice(0, 200);
  failures.set(text, (failures.get(text) ?? 0) + 1);
  return false;
}
