/** OP_GROUP_VERIFY_DISKS: finds instances of a group with missing volumes or inactive disks. */
import {
  diskOnNode,
  type InstanceInGroup,
  instancesOfGroupByNode,
  isHeld,
  type Snapshot,
} from "@ganeti-ts/config";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { GroupObject, Json, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { compareNaturally } from "@ganeti-ts/protocol";
import { volumesOfDisks } from "../cluster/volumes.js";
import { ask } from "../unit/calls.js";
import { contextAt, type UnitContext } from "../unit/context.js";
import { asShared, groupLock, instanceLock, nodeLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";

export const verifyGroupDisks: Unit<"OP_GROUP_VERIFY_DISKS"> = {
  opcode: "OP_GROUP_VERIFY_DISKS",

  /** Unless strict, instances and nodes locked by other jobs are checked without their locks. */
  locks(op, now) {
    const group = now.expectGroup(op.group_name);
    const instances = checkedInstances(now, group);
    const nodes = checkedNodes(now, group, instances);
    const groups = new Set([
      group.uuid,
      ...nodes.map((uuid) => now.node(uuid)?.group ?? group.uuid),
    ]);
    const held = op.is_strict
      ? [...instances.map(({ instance }) => instanceLock(instance)), ...nodes.map(nodeLock)]
      : [];
    return asShared(...Array.from(groups, groupLock), ...held);
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const group = now.expectGroup(op.group_name);
    const active = checkedInstances(now, group).filter((one) => one.instance.disks_active);
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

/** An instance that exists on nodes, with its disks. */
interface Checked extends InstanceInGroup {
  readonly instance: RealInstance;
}

/** Instances with their primary node in the group. */
const checkedInstances = (now: Snapshot, group: GroupObject): readonly Checked[] => {
  const found: Checked[] = [];
  for (const placed of instancesOfGroupByNode(now, group).values()) {
    for (const one of placed) if (isReal(one)) found.push(one);
  }
  return found;
};

const isReal = (one: InstanceInGroup): one is Checked =>
  !one.instance.forthcoming && !isHeld(one.instance);

/** The nodes of the group, and the secondary nodes of the instances. */
function checkedNodes(
  now: Snapshot,
  group: GroupObject,
  instances: readonly Checked[],
): readonly NodeUuid[] {
  const nodes = new Set(instancesOfGroupByNode(now, group).keys());
  for (const { secondaries } of instances) for (const node of secondaries) nodes.add(node);
  return [...nodes];
}

async function lookAtVolumes(
  context: UnitContext,
  group: GroupObject,
  active: readonly Checked[],
  found: Found,
): Promise<void> {
  const { now } = context;
  const wanted = new Map<NodeUuid, Map<string, RealInstance>>();
  for (const { instance, disks } of active) {
    for (const [node, volumes] of volumesOfDisks(disks)) {
      const onNode = wanted.get(node) ?? new Map<string, RealInstance>();
      wanted.set(node, onNode);
      for (const volume of volumes) onNode.set(volume, instance);
    }
  }
  if (wanted.size === 0) return;
  for (const uuid of checkedNodes(now, group, active)) {
    if (now.node(uuid)?.vm_capable === false) continue;
    const answer = await ask(context, uuid, "lv_list", { volumeGroups: [] });
    if (!answer.ok) {
      if (!answer.offline) found.nodeErrors[uuid] = answer.message;
      continue;
    }
    const onNode = wanted.get(uuid);
    for (const { volumeGroup, name, active: isUp } of answer.value) {
      const volume = `${volumeGroup}/${name}`;
      const owner = onNode?.get(volume);
      onNode?.delete(volume);
      if (owner !== undefined && !isUp) found.inactive.add(owner.name);
    }
  }
  const missing = [...wanted].flatMap(([node, onNode]) =>
    Array.from(onNode, ([volume, { name }]) => ({ node, volume, name })),
  );
  missing.sort((a, b) => compareNaturally(`${a.node} ${a.volume}`, `${b.node} ${b.volume}`));
  for (const { node, volume, name } of missing) {
    found.missing[name] = [...(found.missing[name] ?? []), [node, volume]];
  }
}

interface Mirrored {
  readonly instance: RealInstance;
  readonly disks: readonly DiskOnNode[];
}

async function lookAtMirrors(
  context: UnitContext,
  active: readonly Checked[],
  found: Found,
): Promise<void> {
  const { now } = context;
  const byNode = new Map<NodeUuid, Mirrored[]>();
  for (const { instance, disks: own, secondaries } of active) {
    if (!own.some(({ dev_type }) => dev_type === "drbd")) continue;
    const mirrored = { instance, disks: own.map((disk) => diskOnNode(now, instance, disk)) };
    for (const uuid of [instance.primary_node, ...secondaries]) {
      const onNode = byNode.get(uuid);
      if (onNode === undefined) byNode.set(uuid, [mirrored]);
      else onNode.push(mirrored);
    }
  }
  for (const [uuid, mirrored] of byNode) {
    const disks = mirrored.flatMap((one) => one.disks);
    const answer = await ask(context, uuid, "drbd_needs_activation", { disks });
    if (!answer.ok) {
      found.nodeErrors[uuid] = answer.message;
      continue;
    }
    const down = new Set(answer.value);
    for (const { instance } of mirrored) {
      if (instance.disks.some((disk) => down.has(disk))) found.inactive.add(instance.name);
    }
  }
}
