/** OP_GROUP_VERIFY_DISKS: finds instances of a group with missing volumes or inactive disks. */
import {
  type InstanceInGroup,
  instancesOfGroupByNode,
  isHeld,
  type Snapshot,
} from "@ganeti-ts/config";
import type { LogicalVolume } from "@ganeti-ts/node-calls";
import type { GroupObject, Json, NodeUuid } from "@ganeti-ts/protocol";
import { compareNaturally } from "@ganeti-ts/protocol";
import { ask } from "../unit/calls.js";
import { contextAt, type UnitContext } from "../unit/context.js";
import { asShared, groupLock, instanceLock, nodeLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { type Checked, type ExpectedOnNode, expectedByNode } from "./expected-disks.js";

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
    const expected = expectedByNode(now, active);
    const found: Found = { nodeErrors: {}, inactive: new Set(), missing: {} };
    await lookAtVolumes(context, checkedNodes(now, group, active), expected, found);
    await lookAtMirrors(context, expected, found);
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

type Expected = ReadonlyMap<NodeUuid, ExpectedOnNode>;

/** A volume that a node does not have. */
interface Missing {
  readonly node: NodeUuid;
  readonly volume: string;
  /** Of its instance. */
  readonly name: string;
}

async function lookAtVolumes(
  context: UnitContext,
  nodes: readonly NodeUuid[],
  expected: Expected,
  found: Found,
): Promise<void> {
  if ([...expected.values()].every(({ owners }) => owners.size === 0)) return;
  const missing: Missing[] = [];
  // Volumes of nodes that do not answer count as missing, as in Ganeti.
  const left = new Map(expected);
  for (const uuid of nodes) {
    if (context.now.node(uuid)?.vm_capable === false) continue;
    const answer = await ask(context, uuid, "lv_list", { volumeGroups: [] });
    if (!answer.ok) {
      if (!answer.offline) found.nodeErrors[uuid] = answer.message;
      continue;
    }
    const here = left.get(uuid);
    if (here !== undefined) missing.push(...lookAtNode(uuid, here, answer.value, found));
    left.delete(uuid);
  }
  for (const [uuid, here] of left) missing.push(...lookAtNode(uuid, here, [], found));
  missing.sort((a, b) => compareNaturally(`${a.node} ${a.volume}`, `${b.node} ${b.volume}`));
  for (const { node, volume, name } of missing) {
    found.missing[name] = [...(found.missing[name] ?? []), [node, volume]];
  }
}

/** Gives the missing volumes. */
function lookAtNode(
  node: NodeUuid,
  { owners }: ExpectedOnNode,
  volumes: readonly LogicalVolume[],
  { inactive }: Found,
): readonly Missing[] {
  let foundCount = 0;
  for (const { volumeGroup, name, active } of volumes) {
    const owner = owners.get(volumeGroup)?.get(name);
    if (owner === undefined) continue;
    foundCount++;
    if (!active) inactive.add(owner.name);
  }
  const expectedCount = [...owners.values()].reduce((sum, { size }) => sum + size, 0);
  if (foundCount === expectedCount) return [];
  const there = new Set(volumes.map(({ volumeGroup, name }) => `${volumeGroup}/${name}`));
  return Array.from(owners, ([volumeGroup, byName]) =>
    Array.from(byName, ([name, owner]) => ({
      node,
      volume: `${volumeGroup}/${name}`,
      name: owner.name,
    })),
  )
    .flat()
    .filter(({ volume }) => !there.has(volume));
}

async function lookAtMirrors(
  context: UnitContext,
  expected: Expected,
  found: Found,
): Promise<void> {
  for (const [uuid, { mirrored, disks }] of expected) {
    if (mirrored.length === 0) continue;
    const answer = await ask(context, uuid, "drbd_needs_activation", { disks });
    if (!answer.ok) {
      found.nodeErrors[uuid] = answer.message;
      continue;
    }
    if (answer.value.length === 0) continue;
    const down = new Set(answer.value);
    for (const instance of mirrored) {
      if (instance.disks.some((disk) => down.has(disk))) found.inactive.add(instance.name);
    }
  }
}
