/** OP_GROUP_VERIFY_DISKS: finds instances of a group with missing volumes or inactive disks. */
import { instancesOfGroupByNode } from "@ganeti-ts/config";
import type { LogicalVolume } from "@ganeti-ts/node-calls";
import { compareNaturally, type Json, type NodeUuid } from "@ganeti-ts/protocol";
import { ask } from "../unit/effects.js";
import { contextAt, type Unit, type UnitContext } from "../unit/unit.js";
import { type Expected, type ExpectedOnNode, expectedByNode, ownersOn } from "./expected-disks.js";
import { verificationLocks } from "./verification-locks.js";

export const verifyGroupDisks: Unit<"OP_GROUP_VERIFY_DISKS"> = {
  opcode: "OP_GROUP_VERIFY_DISKS",

  /** Unless strict, instances and nodes locked by other jobs are checked without their locks. */
  locks: (op, now) => verificationLocks(now, now.expectGroup(op.group_name), op.is_strict),

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const group = now.expectGroup(op.group_name);
    const expected = expectedByNode(now, group);
    const found: Found = { nodeErrors: {}, inactive: new Set(), missing: {} };
    const nodes = new Set([...instancesOfGroupByNode(now, group).keys(), ...expected.keys()]);
    await lookAtVolumes(context, nodes, expected, found);
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

/** A volume that a node does not have. */
interface Missing {
  readonly node: NodeUuid;
  readonly volume: string;
  /** Name of the instance that the volume belongs to. */
  readonly name: string;
}

async function lookAtVolumes(
  context: UnitContext,
  nodes: Iterable<NodeUuid>,
  expected: Expected,
  found: Found,
): Promise<void> {
  if ([...expected.values()].every(({ hasVolumes }) => !hasVolumes)) return;
  const missing: Missing[] = [];
  // Volumes of nodes that do not answer count as missing, as in Ganeti.
  const left = new Map(expected);
  const capable = [...nodes].filter((uuid) => context.now.node(uuid)?.vm_capable !== false);
  const asked = (uuid: NodeUuid) => ask(context, uuid, "lv_list", { volumeGroups: [] });
  await answersInOrder(capable, asked, (uuid, answer) => {
    if (!answer.ok) {
      if (!answer.offline) found.nodeErrors[uuid] = answer.message;
      return;
    }
    const here = left.get(uuid);
    if (here !== undefined) missing.push(...lookAtNode(uuid, here, answer.value, found));
    left.delete(uuid);
  });
  for (const [uuid, here] of left) missing.push(...lookAtNode(uuid, here, [], found));
  missing.sort((a, b) => compareNaturally(`${a.node} ${a.volume}`, `${b.node} ${b.volume}`));
  for (const { node, volume, name } of missing) {
    found.missing[name] = [...(found.missing[name] ?? []), [node, volume]];
  }
}

/** Gives the missing volumes. O(volumes). */
function lookAtNode(
  node: NodeUuid,
  expected: ExpectedOnNode,
  volumes: readonly LogicalVolume[],
  { inactive }: Found,
): readonly Missing[] {
  const owners = ownersOn(node, expected);
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
  const mirroring = [...expected].filter(([, { mirrored }]) => mirrored.length > 0);
  const asked = ([uuid, { disks }]: (typeof mirroring)[number]) =>
    ask(context, uuid, "drbd_needs_activation", { disks });
  await answersInOrder(mirroring, asked, ([uuid, { mirrored }], answer) => {
    if (!answer.ok) {
      found.nodeErrors[uuid] = answer.message;
      return;
    }
    if (answer.value.length === 0) return;
    const down = new Set(answer.value);
    for (const instance of mirrored) {
      if (instance.disks.some((disk) => down.has(disk))) found.inactive.add(instance.name);
    }
  });
}

/** Maximum number of nodes that are asked at the same time. */
const askedAtOnce = 32;

/**
 * Asks `askedAtOnce` nodes at the same time, because the locks of their group are held until the last answer; `look`
 * gets the answers in the order of `all`.
 */
async function answersInOrder<Asked, Answer>(
  all: readonly Asked[],
  answerOf: (asked: Asked) => Promise<Answer>,
  look: (asked: Asked, answer: Answer) => void,
): Promise<void> {
  for (let first = 0; first < all.length; first += askedAtOnce) {
    const asked = all.slice(first, first + askedAtOnce);
    const answers = await Promise.all(asked.map(answerOf));
    for (const [at, one] of asked.entries()) look(one, answers[at] as Answer);
  }
}
