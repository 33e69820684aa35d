/** OP_NODE_EVACUATE and OP_NODE_MIGRATE: jobs that move the instances of a node. */
import { allocatorNames } from "@ganeti-ts/allocators";
import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { diskTemplate, type Snapshot } from "@ganeti-ts/config";
import type {
  InstanceObject,
  JsonObject,
  NodeObject,
  NodeUuid,
  OpcodeOf,
} from "@ganeti-ts/protocol";
import { compareNaturally, isUnmirrored } from "@ganeti-ts/protocol";
import { evacuationJobs } from "../cluster/evacuation.js";
import { masterHooks } from "../hooks/hooks.js";
import { info, warn } from "../unit/effects.js";
import { asShared, groupLock, instanceLock, nodeLock } from "../unit/locks.js";
import { namedNode } from "../unit/nodes.js";
import { wrongInput } from "../unit/refusals.js";
import { type ChildJobs, resultWithJobs, type Unit, type World } from "../unit/unit.js";

/**
 * OP_NODE_EVACUATE: submits jobs that move instances off a node, as answered by an allocator or to
 * one given node.
 */
type Op = OpcodeOf<"OP_NODE_EVACUATE">;
type Mode = "primary-only" | "secondary-only";

export const evacuateNode: Unit<"OP_NODE_EVACUATE"> = {
  opcode: "OP_NODE_EVACUATE",

  locks(op, now) {
    const node = namedNode(now, op);
    const remote = remoteNode(op, now, node);
    const nodes = new Set<NodeUuid>([
      node.uuid,
      ...(remote ? [remote.uuid] : now.nodesOfGroup(node.group).map(({ uuid }) => uuid)),
    ]);
    const groups = new Set(Array.from(nodes, (uuid) => now.node(uuid)?.group ?? node.group));
    const instances = modesOf(op).flatMap((mode) => instancesOf(now, node, mode));
    return asShared(
      ...instances.map(instanceLock),
      ...Array.from(groups, groupLock),
      ...Array.from(nodes, nodeLock),
    );
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const node = namedNode(now, op);
    checkAllocatorOrNode(op, now);
    const remote = remoteNode(op, now, node);
    const affected = modesOf(op).map((mode) => [mode, instancesOf(now, node, mode)] as const);
    const all = affected.flatMap(([, instances]) => instances.map(instanceLabel));
    const names = [...all].sort(compareNaturally).join(", ");
    info(
      world,
      all.length > 0
        ? `Evacuating instances from node '${node.name}': ${names}`
        : `No instances to evacuate from node '${node.name}'`,
    );
    const jobs: ChildJobs[number][] = [];
    for (const [mode, instances] of affected) {
      if (instances.length === 0) continue;
      if (remote !== undefined) jobs.push(...jobsToNode(op, instances, remote));
      else jobs.push(...(await allocatedJobs(op, world, instances, mode)));
    }
    return op.dry_run ? { jobs: [] } : resultWithJobs(world, jobs);
  },
};

/** Secondaries first, because their replacements may need the room that primaries leave. */
const modesOf = ({ mode }: Op): readonly Mode[] =>
  mode === "all" ? ["secondary-only", "primary-only"] : [mode];

const instancesOf = (
  now: Snapshot,
  { uuid }: NodeObject,
  mode: Mode,
): readonly InstanceObject[] => {
  const { primary, secondary } = now.instancesOfNode(uuid);
  return mode === "primary-only" ? primary : secondary;
};

/** @throws PrereqError if both are given, or neither and there is no default allocator */
function checkAllocatorOrNode(op: Op, now: Snapshot): void {
  if (op.remote_node !== undefined && op.iallocator !== undefined) {
    wrongInput("Do not specify both, iallocator and node");
  }
  if (op.remote_node === undefined) allocatorNames(now.cluster, "node-evacuate", op.iallocator);
}

/** The given new secondary, if any. @throws PrereqError if it is unsuitable */
function remoteNode(op: Op, now: Snapshot, node: NodeObject): NodeObject | undefined {
  if (op.remote_node === undefined) return undefined;
  const remote = namedNode(now, { node_name: op.remote_node, node_uuid: op.remote_node_uuid });
  if (remote.uuid === node.uuid) wrongInput("Can not use evacuated node as a new secondary node");
  if (op.mode !== "secondary-only") {
    wrongInput("Without the use of an iallocator only secondary instances can be evacuated");
  }
  return remote;
}

function jobsToNode(op: Op, instances: readonly InstanceObject[], remote: NodeObject): ChildJobs {
  return instances.map((instance) => {
    const instance_name = instanceLabel(instance);
    if (instance.primary_node === remote.uuid) {
      wrongInput(
        `Node ${remote.name} is the primary node of instance ${instance_name}, cannot use it as secondary`,
      );
    }
    return [
      {
        OP_ID: "OP_INSTANCE_REPLACE_DISKS",
        instance_name,
        disks: [],
        mode: "replace_new_secondary",
        remote_node: remote.name,
        early_release: op.early_release,
      },
    ];
  });
}

async function allocatedJobs(
  op: Op,
  world: World,
  instances: readonly InstanceObject[],
  mode: Mode,
): Promise<ChildJobs> {
  const { allocators, config, lease, signal } = world;
  const answer = await allocators.nodeEvacuate(
    { now: config.snapshot, caller: { lease, signal }, iallocator: op.iallocator },
    instances.map(instanceLabel),
    mode,
    { ignoreSoftErrors: op.ignore_soft_errors ?? false },
  );
  return evacuationJobs(world, answer, { earlyRelease: op.early_release, shownBy: "nodes" });
}

type MigrateOp = OpcodeOf<"OP_NODE_MIGRATE">;

/** OP_NODE_MIGRATE: submits a job for each instance with its primary on the node. */
export const migrateNode: Unit<"OP_NODE_MIGRATE"> = {
  opcode: "OP_NODE_MIGRATE",
  hooks: masterHooks("node-migrate", "NODE", (op) => ({
    NODE_NAME: op.node_name,
    ALLOW_RUNTIME_CHANGES: op.allow_runtime_changes,
  })),

  locks: (op, now) => asShared(nodeLock(namedNode(now, op).uuid)),

  async run(op, world) {
    const now = world.config.snapshot;
    const { primary: instances } = now.instancesOfNode(namedNode(now, op).uuid);
    const movable = instances.filter((one) => canMove(now, one));
    for (const one of instances) {
      if (movable.includes(one)) continue;
      const template = diskTemplate(now, one);
      warn(
        world,
        `Instance ${instanceLabel(one)} is not migrated: its disk layout '${template}' does not allow it`,
      );
    }
    const jobs = movable.map((one) => [one.forthcoming ? failover(op, one) : migration(op, one)]);
    await world.hooks.before();
    return op.dry_run ? { jobs: [] } : resultWithJobs(world, jobs);
  },
};

function canMove(now: Snapshot, instance: InstanceObject): boolean {
  const template = diskTemplate(now, instance);
  return instance.forthcoming === true || !(template === "mixed" || isUnmirrored(template));
}

const migration = (op: MigrateOp, instance: InstanceObject): JsonObject => ({
  OP_ID: "OP_INSTANCE_MIGRATE",
  instance_name: instanceLabel(instance),
  ...given({ mode: op.mode, live: op.live, ...target(op) }),
  allow_runtime_changes: op.allow_runtime_changes,
  ignore_ipolicy: op.ignore_ipolicy,
});

/** A reservation does not run: only the configuration changes. */
const failover = (op: MigrateOp, instance: InstanceObject): JsonObject => ({
  OP_ID: "OP_INSTANCE_FAILOVER",
  instance_name: instanceLabel(instance),
  ...given(target(op)),
  ignore_ipolicy: op.ignore_ipolicy,
});

const target = ({ iallocator, target_node }: MigrateOp) => ({ iallocator, target_node });

const given = (values: Readonly<Record<string, string | boolean | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string | boolean] => {
      return entry[1] !== undefined;
    }),
  );
