/** OP_GROUP_VERIFY_DISKS: finds instances of a group with missing volumes or inactive disks. */
import { diskOnNode, isHeld, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import type { GroupObject, Json, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { compareNaturally } from "@ganeti-ts/protocol";
import { volumesOf } from "../cluster/volumes.js";
import { instancesOfGroup } from "../network/conflicts.js";
import { ask } from "../unit/calls.js";
import { contextAt, type UnitContext } from "../unit/context.js";
import { asShared, groupLock, instanceLock, nodeLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";

export const verifyGroupDisks: Unit<"OP_GROUP_VERIFY_DISKS"> = {
  opcode: "OP_GROUP_VERIFY_DISKS",

  /** Unless strict, instances and nodes locked by other jobs are checked without their locks. */
  locks(op, now) {
    const group = now.expectGroup(op.group_name);
    const instances = realInstances(now, group);
    const nodes = nodesLookedAt(now, group, instances);
    const groups = new Set([
      group.uuid,
      ...nodes.map((uuid) => now.node(uuid)?.group ?? group.uuid),
    ]);
    const held = op.is_strict ? [...instances.map(instanceLock), ...nodes.map(nodeLock)] : [];
    return asShared(...Array.from(groups, groupLock), ...held);
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const group = now.expectGroup(op.group_name);
    const active = realInstances(now, group).filter(({ disks_active }) => disks_active);
    const found: Found = { nodeErrors: {}, inactive: new Set(), missing: {} };
    await lookAtVolumes(context, group, active, found);
    await lookAtMirrors(context, active, found);
    return [found.nodeErrors, [...found.inactive], found.missing] as unknown as Json;
  },
};

interface Found {
  /** Error messages by node. */
  readonly nodeErrors: Record<string, string>;
  /** Names of instances. */
  readonly inactive: Set<string>;
  /** `[node, volume]` by instance. */
  readonly missing: Record<string, (readonly [string, string])[]>;
}

const realInstances = (now: Snapshot, group: GroupObject): readonly RealInstance[] =>
  instancesOfGroup(now, group).flatMap((one) => (one.forthcoming || isHeld(one) ? [] : one));

const nodesLookedAt = (
  now: Snapshot,
  group: GroupObject,
  instances: readonly RealInstance[],
): readonly NodeUuid[] => [
  ...new Set([
    ...now.nodesOfGroup(group.uuid).map(({ uuid }) => uuid),
    ...instances.flatMap((one) => secondaryNodes(now, one)),
  ]),
];

async function lookAtVolumes(
  context: UnitContext,
  group: GroupObject,
  active: readonly RealInstance[],
  found: Found,
): Promise<void> {
  const { now } = context;
  const wanted = new Map<string, RealInstance>();
  for (const instance of active) {
    for (const [node, volumes] of volumesOf(now, instance)) {
      for (const volume of volumes) wanted.set(`${node} ${volume}`, instance);
    }
  }
  if (wanted.size === 0) return;
  for (const uuid of nodesLookedAt(now, group, active)) {
    if (now.node(uuid)?.vm_capable === false) continue;
    const answer = await ask(context, uuid, "lv_list", { volumeGroups: [] });
    if (!answer.ok) {
      if (!answer.offline) found.nodeErrors[uuid] = answer.message;
      continue;
    }
    for (const { volumeGroup, name, active: isUp } of answer.value) {
      const key = `${uuid} ${volumeGroup}/${name}`;
      const owner = wanted.get(key);
      wanted.delete(key);
      if (owner !== undefined && !isUp) found.inactive.add(owner.name);
    }
  }
  for (const [key, { name }] of [...wanted].sort(([a], [b]) => compareNaturally(a, b))) {
    const [node = "", volume = ""] = key.split(" ");
    found.missing[name] = [...(found.missing[name] ?? []), [node, volume]];
  }
}

async function lookAtMirrors(
  context: UnitContext,
  active: readonly RealInstance[],
  found: Found,
): Promise<void> {
  const { now } = context;
  const byNode = new Map<NodeUuid, RealInstance[]>();
  for (const instance of active) {
    if (!now.disksOf(instance).some(({ dev_type }) => dev_type === "drbd")) continue;
    for (const uuid of [instance.primary_node, ...secondaryNodes(now, instance)]) {
      byNode.set(uuid, [...(byNode.get(uuid) ?? []), instance]);
    }
  }
  for (const [uuid, instances] of byNode) {
    const disks = instances.flatMap((one) =>
      now.disksOf(one).map((disk) => diskOnNode(now, one, disk)),
    );
    const answer = await ask(context, uuid, "drbd_needs_activation", { disks });
    if (!answer.ok) {
      found.nodeErrors[uuid] = answer.message;
      continue;
    }
    const down = new Set(answer.value);
    for (const { disks: own, name } of active) {
      if (own.some((disk) => down.has(disk))) found.inactive.add(name);
    }
  }
}
