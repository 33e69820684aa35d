/** Move of a mirrored instance's disks to another secondary node. */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import { diskOnNode, drbdMinors, filledBeparams, put, realDisksOf } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type {
  ClaimOf,
  ForthcomingInstance,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { checkUnclaimed, claimOf, dropping, putting } from "../../capacity/claim.js";
import { type Demand, take } from "../../capacity/demand.js";
import { volumesOf } from "../../capacity/volumes.js";
import { checkStillClaimed, withClaims } from "../../capacity/with-claims.js";
import { ask, info, step, warn } from "../../unit/effects.js";
import { nodeLock } from "../../unit/locks.js";
import { contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { createSingleDevice } from "../disks/creation.js";
import { nodeName, shownName } from "../state.js";
import { completeReplacement } from "./completion.js";
import { discardOldCopies } from "./discard.js";
import { claimOfOldCopies } from "./old-copies.js";
import type { Replacement } from "./replacement.js";
import { checkConsistency, checkExistence, checkVolumeGroup, stepsTotal } from "./replacement.js";

export interface SecondaryReplacement extends Replacement {
  readonly newNode: NodeUuid;
}

export const newSecondaryDemands = (
  now: Snapshot,
  instance: RealInstance | ForthcomingInstance,
  node: NodeUuid,
): readonly Demand[] => {
  const { spindle_use: spindleUse } = filledBeparams(now, instance);
  const purpose = `replacing the secondary of instance ${shownName(instance)}`;
  const limited = { vcpus: 0, spindleUse, purpose, reserves: instance.forthcoming === true };
  return [{ node, volumes: volumesOf(now.disksOf(instance)), limited }];
};

/** The logical id with the secondary's side replaced and the primary's side unchanged. */
function movedId(
  logicalId: RealDisk["logical_id"],
  primary: NodeUuid | undefined,
  newNode: NodeUuid,
  minor: number,
): RealDisk["logical_id"] {
  const [nodeA, , port = null, minorA = null, minorB = null, secret = null] = logicalId;
  return [primary ?? null, newNode, port, primary === nodeA ? minorA : minorB, minor, secret];
}

/**
 * The configuration names the new node once its devices exist and the primary has disconnected from
 * the old one. If the job dies before, the primary has no mirror until the replacement, or an
 * activation, is repeated. From then on the devices on the old node are claimed: recovery removes
 * them once the disks are complete without them. @throws ExecError
 */
export async function replaceSecondary(
  world: World,
  replacement: SecondaryReplacement,
): Promise<void> {
  const { instance, newNode, target } = replacement;
  const { primary_node: primary } = instance;
  step(world, 1, stepsTotal, "Check device existence");
  await checkExistence(world, replacement, [primary]);
  await checkVolumeGroup(world, [primary]);
  step(world, 2, stepsTotal, "Check peer consistency");
  await checkConsistency(world, replacement, { node: primary, isPrimary: true, ownCopy: true });
  const now = world.config.snapshot;
  const old = realDisksOf(now, instance);
  // The primary has good data, so copies that an earlier job left on the new node are useless.
  await discardOldCopies(world, newNode, old);
  const demands = newSecondaryDemands(now, instance, newNode);
  const left = await withClaims(
    world,
    demands,
    (latest) => demands.map((demand) => claimOfSecondary(contextAt(world, latest), old, demand)),
    async ([claim]) => {
      if (claim === undefined) return undefined;
      const moved = old.map((disk, at) => {
        const minor = Number(claim.disks[at]?.logical_id?.[3]);
        return { ...disk, logical_id: movedId(disk.logical_id, primary, newNode, minor) };
      });
      await createOnNewNode(world, replacement, moved);
      const isDown = await leaveOldNode(world, replacement, old);
      info(world, "Updating instance configuration");
      const { value } = await world.config.change((latest) => {
        checkStillClaimed(latest, claim);
        const changes = moved.flatMap((disk) => secondaryChanges(latest, disk, primary, newNode));
        const copies = old.map((disk) => ({ disk, devices: [disk] }));
        const left = claimOfOldCopies(contextAt(world, latest), target, copies);
        return { changes: [...dropping(latest, [claim]), ...changes, putting(left)], value: left };
      }, world);
      return { claim: value, isDown };
    },
  );
  await world.release([primary, newNode, replacement.target].map(nodeLock));
  await attach(world, replacement);
  const replaced = old.map((disk, at) => ({ label: String(at), disk, volumes: disk.children }));
  // A mirror that is still up is removed by recovery, with its volumes.
  await completeReplacement(world, replacement, replaced, left?.isDown ? left.claim : undefined);
}

/**
 * Holds minors, names of volumes and space on the new node; recovery identifies the devices by the
 * secret.
 */
function claimOfSecondary(
  context: UnitContext,
  disks: readonly RealDisk[],
  demand: Demand,
): ClaimOf<"space"> {
  const { node } = demand;
  checkUnclaimed(
    context.now,
    node,
    disks.flatMap(({ children }) => children),
  );
  const minors = drbdMinors(
    context.now,
    disks.map(() => node),
  );
  const devices = disks.map((disk, at) => {
    const [, , , , , secret = null] = disk.logical_id;
    return { ...disk, logical_id: [node, null, null, minors[at] ?? 0, null, secret] };
  });
  return claimOf(context, demand, 0, devices);
}

async function createOnNewNode(
  world: World,
  { instance, newNode }: SecondaryReplacement,
  moved: readonly RealDisk[],
): Promise<void> {
  const now = world.config.snapshot;
  const name = nodeName(now, newNode);
  const create = async (disk: RealDisk | RealDisk["children"][number]) => {
    const answer = await createSingleDevice(contextAt(world, now), instance, disk, newNode);
    if (!answer.ok) throw new ExecError(answer.message);
  };
  step(world, 3, stepsTotal, "Allocate new storage");
  for (const [at, disk] of moved.entries()) {
    info(world, `Adding new local storage on ${name} for disk/${at}`);
    for (const child of disk.children) await create(child);
  }
  step(world, 4, stepsTotal, "Changing drbd configuration");
  for (const [at, disk] of moved.entries()) {
    info(world, `activating a new drbd on ${name} for disk/${at}`);
    // Without a port the device does not connect to its peer yet.
    await create({ ...disk, logical_id: disk.logical_id.with(2, null) });
  }
}

/** Whether the devices on the old node could be shut down. @throws ExecError */
async function leaveOldNode(
  world: World,
  { instance, target }: SecondaryReplacement,
  old: readonly RealDisk[],
): Promise<boolean> {
  const now = world.config.snapshot;
  const onNode = old.map((disk) => diskOnNode(now, instance, disk));
  let isDown = true;
  for (const [at, disk] of onNode.entries()) {
    info(world, `Shutting down drbd for disk/${at} on old node`);
    const answer = await ask(world, target, "blockdev_shutdown", { disk });
    if (answer.ok) continue;
    isDown = false;
    const text = `Failed to shutdown drbd for disk/${at} on oldnode: ${answer.message}`;
    warn(world, text, "Please cleanup this device manually as soon as possible");
  }
  info(world, "Detaching primary drbds from the network (=> standalone)");
  const answer = await ask(world, instance.primary_node, "drbd_disconnect_net", { disks: onNode });
  if (answer.ok) return isDown;
  const text = `Can't detach the disks from the network on old node: ${answer.message}`;
  throw new ExecError(text);
}

/** The disk, as it is now, with the id of the moved disk. */
function secondaryChanges(
  now: Snapshot,
  moved: Pick<RealDisk, "uuid" | "logical_id">,
  primary: NodeUuid,
  newNode: NodeUuid,
): readonly ConfigChange[] {
  const disk = now.disk(moved.uuid);
  if (disk === undefined) return [];
  const nodes = [primary, newNode];
  const children = disk.children.map((child) => ({ ...child, nodes }));
  const object = { ...disk, logical_id: moved.logical_id, nodes, children } as typeof disk;
  return [put("disk", object)];
}

async function attach(world: World, { instance, newNode }: SecondaryReplacement): Promise<void> {
  info(world, "Attaching primary drbds to new secondary (standalone => connected)");
  const now = world.config.snapshot;
  const disks = realDisksOf(now, instance).map((disk) => diskOnNode(now, instance, disk));
  const both = [instance.primary_node, newNode];
  const answers = await Promise.all(
    both.map((node) => ask(world, node, "drbd_attach_net", { disks, multimaster: false })),
  );
  for (const [at, answer] of answers.entries()) {
    if (answer.ok) continue;
    throw new ExecError(
      `Can't attach drbd disks on node ${nodeName(now, both[at] ?? "")}: ${answer.message}` +
        ` (please do a gnt-instance info ${instance.name} to see the status of disks)`,
    );
  }
}

/**
 * A reservation moves only in the configuration, if the node has room for it. @throws PrereqError
 */
export async function moveReservedSecondary(
  world: World,
  reserved: ForthcomingInstance,
  newNode: NodeUuid,
): Promise<void> {
  world.log("Instance fortcoming, will only update the configuration");
  info(world, "Updating instance configuration");
  const { primary_node: primary } = reserved;
  await take(world, {
    demands: newSecondaryDemands(world.config.snapshot, reserved, newNode),
    decide: (now) => {
      const latest = now.instance(reserved.uuid);
      if (latest === undefined || primary === undefined) return { changes: [], value: undefined };
      const disks = now.disksOf(latest);
      const minors = drbdMinors(
        now,
        disks.map(() => newNode),
      );
      const changes = disks.flatMap(({ uuid, logical_id = [] }, at) => {
        const id = movedId(logical_id, primary, newNode, minors[at] ?? 0);
        return secondaryChanges(now, { uuid, logical_id: id }, primary, newNode);
      });
      return { changes, value: undefined };
    },
  });
}
