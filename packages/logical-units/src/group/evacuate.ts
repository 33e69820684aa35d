/** OP_GROUP_EVACUATE: jobs that move all instances of a group to other groups. */

import { defaultAllocators } from "@ganeti-ts/allocators";
import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import { groupLockName } from "@ganeti-ts/locking";
import type { GroupObject, GroupUuid, JsonObject, OpcodeOf } from "@ganeti-ts/protocol";
import { evacuationJobs } from "../cluster/evacuation.js";
import { masterAndMembers } from "../hooks/hooks.js";
import { instancesOfGroup } from "../network/conflicts.js";
import { info } from "../unit/effects.js";
import { asShared, groupLock, instanceLock, nodeLock } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import { type ChildJobs, resultWithJobs, type Unit } from "../unit/unit.js";

type Op = OpcodeOf<"OP_GROUP_EVACUATE">;

export const evacuateGroup: Unit<"OP_GROUP_EVACUATE"> = {
  opcode: "OP_GROUP_EVACUATE",
  hooks: {
    path: "group-evacuate",
    object: "GROUP",
    environment: (op, now) => ({
      GROUP_NAME: op.group_name,
      TARGET_GROUPS: groupsOf(op, now).targets.join(" "),
    }),
    nodes: (op, now) => masterAndMembers(now, now.expectGroup(op.group_name).uuid),
  },

  /** Locks the instances, their groups and the target groups; every group if none is named. */
  locks(op, now) {
    const { group, targets } = groupsOf(op, now);
    const instances = instancesOfGroup(now, group);
    const groups = new Set<GroupUuid>([group.uuid, ...targets]);
    for (const instance of instances) {
      const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
      for (const uuid of nodes) {
        const node = uuid && now.node(uuid);
        if (node) groups.add(node.group);
      }
    }
    const every: Iterable<GroupUuid> = Array.from(now.groups(), ({ uuid }) => uuid);
    const nodes = Array.from(op.target_groups?.length ? groups : every).flatMap((uuid) =>
      now.nodesOfGroup(uuid).map((node) => nodeLock(node.uuid)),
    );
    const groupLocks = op.target_groups?.length
      ? Array.from(groups, groupLock)
      : [groupLockName("nodegroup")];
    return asShared(...instances.map(instanceLock), ...groupLocks, ...nodes);
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const { group, targets } = groupsOf(op, now);
    if (targets.length === 0) wrongInput("There are no possible target groups");
    if (!op.iallocator && defaultAllocators(now.cluster, "change-group").length === 0) {
      wrongInput(
        "No iallocator was specified, neither in the opcode nor as a cluster-wide default",
      );
    }
    await world.hooks.before();
    const { allocators, lease, signal } = world;
    const answer = await allocators.changeGroup(
      { now, caller: { lease, signal }, iallocator: op.iallocator },
      instancesOfGroup(now, group).map(instanceLabel),
      targets,
      "group evacuation",
    );
    const how = { earlyRelease: op.early_release, shownBy: "group" } as const;
    let jobs = evacuationJobs(world, answer, how);
    info(
      world,
      `Iallocator returned ${jobs.length} job(s) for evacuating node group ${op.group_name}`,
    );
    if (op.force_failover) {
      info(world, "Will insist on failovers");
      jobs = jobs.map((job) => job.map(asFailover));
    }
    if (op.sequential) {
      info(world, "Jobs will be submitted to run sequentially");
      jobs = oneAfterTheOther(jobs);
    }
    return op.dry_run ? { jobs: [] } : resultWithJobs(world, jobs);
  },
};

/** The group and its target groups. @throws PrereqError, ConfigError */
function groupsOf(op: Op, now: Snapshot): { group: GroupObject; targets: readonly GroupUuid[] } {
  const group = now.expectGroup(op.group_name);
  const wanted = (op.target_groups ?? []).map((name) => now.expectGroup(name).uuid);
  if (wanted.includes(group.uuid)) {
    const names = wanted.map((uuid) => now.group(uuid)?.name ?? uuid);
    wrongInput(
      `Group to be evacuated (${group.name}) can not be used as a target group (targets are ${names.join(", ")})`,
    );
  }
  if (wanted.length > 0) return { group, targets: wanted };
  const others = Array.from(now.groups(), ({ uuid }) => uuid);
  return { group, targets: others.filter((uuid) => uuid !== group.uuid) };
}

/** Turns a migration into a failover to the same node; other opcodes stay unchanged. */
function asFailover(opcode: JsonObject): JsonObject {
  if (opcode.OP_ID !== "OP_INSTANCE_MIGRATE") return opcode;
  const kept = ["instance_name", "instance_uuid", "target_node", "target_node_uuid"];
  const parameters = [...kept, "ignore_ipolicy", "cleanup"].flatMap((name) =>
    opcode[name] === undefined ? [] : [[name, opcode[name]] as const],
  );
  return { OP_ID: "OP_INSTANCE_FAILOVER", ...Object.fromEntries(parameters) };
}

/** Each job waits for the previous one, whether that succeeds or not. */
const oneAfterTheOther = (jobs: ChildJobs): ChildJobs =>
  jobs.map((job, at) =>
    at === 0 ? job : job.map((opcode) => ({ ...opcode, depends: [[-1, ["error", "success"]]] })),
  );
