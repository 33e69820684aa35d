/** OP_INSTANCE_CHANGE_GROUP: submits jobs that move an instance to another node group. */

import { defaultAllocators } from "@ganeti-ts/allocators";
import { groupOf, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import type { GroupUuid, InstanceObject, OpcodeOf } from "@ganeti-ts/protocol";
import { evacuationJobs } from "../../cluster/evacuation.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { info } from "../../unit/effects.js";
import { asExclusive, asShared, groupLock, instanceLock, nodeLock } from "../../unit/locks.js";
import { wrongInput } from "../../unit/refusals.js";
import { areChecksAll, resultWithJobs, type Unit } from "../../unit/unit.js";
import { namedInstance, shownName } from "../state.js";

type Op = OpcodeOf<"OP_INSTANCE_CHANGE_GROUP">;

export const changeGroup: Unit<"OP_INSTANCE_CHANGE_GROUP"> = {
  opcode: "OP_INSTANCE_CHANGE_GROUP",
  hooks: instanceHooks("instance-change-group", {
    variables: (_op, _now, _instance, { groups = [] }) => ({ TARGET_GROUPS: groups.join(" ") }),
    nodes: () => [],
  }),

  /** Locks the instance's own groups and the target groups, with all their nodes. */
  locks(op, now) {
    const instance = namedInstance(now, op);
    const groups = [...groupsOf(now, instance), ...targetsOf(op, now, instance)];
    const nodes = groups.flatMap((group) => now.nodesOfGroup(group).map(({ uuid }) => uuid));
    return [
      ...asExclusive(instanceLock(instance)),
      ...asShared(...groups.map(groupLock), ...nodes.map(nodeLock)),
    ];
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedInstance(now, op);
    const name = shownName(instance);
    if (
      op.iallocator === undefined &&
      defaultAllocators(now.cluster, "change-group").length === 0
    ) {
      wrongInput(
        "No iallocator was specified, neither in the opcode nor as a cluster-wide default",
      );
    }
    const targets = targetsOf(op, now, instance);
    const own = groupsOf(now, instance);
    const conflicting = targets.filter((group) => own.has(group));
    if (conflicting.length > 0) {
      wrongInput(
        `Can't use group(s) '${conflicting.join(", ")}' as targets, they are used by the instance` +
          ` '${name}'`,
      );
    }
    if (targets.length === 0) wrongInput("There are no possible target groups");
    if (await areChecksAll(world, op, { groups: targets })) return null;

    const answer = await world.allocators.changeGroup(
      { now, caller: world, iallocator: op.iallocator },
      [name],
      targets,
      `solution for changing group of instance '${name}'`,
    );
    const how = { earlyRelease: op.early_release, shownBy: "group" } as const;
    const jobs = evacuationJobs(world, answer, how);
    info(
      world,
      `Iallocator returned ${jobs.length} job(s) for changing group of instance '${name}'`,
    );
    return resultWithJobs(world, jobs);
  },
};

/** Groups of the instance's nodes. */
function groupsOf(now: Snapshot, instance: InstanceObject): ReadonlySet<GroupUuid> {
  const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
  return new Set(nodes.flatMap((node) => groupOf(now, node)?.uuid ?? []));
}

/** The named groups, or all others. @throws ConfigError */
function targetsOf(op: Op, now: Snapshot, instance: InstanceObject): readonly GroupUuid[] {
  if (op.target_groups !== undefined && op.target_groups.length > 0) {
    return [...new Set(op.target_groups.map((name) => now.expectGroup(name).uuid))];
  }
  const own = groupsOf(now, instance);
  return [...now.groups()].map(({ uuid }) => uuid).filter((uuid) => !own.has(uuid));
}
