/** New storage for mirrors on the node that had the old one: the same devices over other volumes. */

import { diskOnNode, newUuid } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { Claim, DiskUuid, RealDisk } from "@ganeti-ts/protocol";
import { claimedName, claimOf } from "../../capacity/claim.js";
import type { Demand } from "../../capacity/demand.js";
import { volumesOf } from "../../capacity/volumes.js";
import { abandoningOnFailure, giveUpClaims, takeClaims } from "../../capacity/with-claims.js";
import { ask, info, step, valueOrFail, warn } from "../../unit/effects.js";
import { contextAt, type World } from "../../unit/unit.js";
import { createSingleDevice, removeDevice } from "../disks/creation.js";
import { nodeName } from "../state.js";
import { completeReplacement } from "./completion.js";
import { claimOfOldCopies } from "./old-copies.js";
import type { OldStorage, Replacement } from "./replacement.js";
import {
  checkConsistency,
  checkExistence,
  checkVolumeGroup,
  replacedDisks,
  stepsTotal,
} from "./replacement.js";

type Volumes = RealDisk["children"];

interface NewStorage {
  /** The disk's index in the instance. */
  readonly at: number;
  readonly disk: RealDisk;
  readonly volumes: Volumes;
  /** Its old volumes, under their new names. */
  readonly replaced: Volumes;
}

/** Storage that the node needs until the old storage is removed. */
export const inPlaceDemands = (world: World, replacement: Replacement): readonly Demand[] => {
  const disks = replacedDisks(world, replacement).map(([, disk]) => disk);
  return disks.length === 0 ? [] : [{ node: replacement.target, volumes: volumesOf(disks) }];
};

/**
 * The configuration does not change: new volumes get the names of the old ones. If the job dies in
 * between, the node lacks its copy until the replacement is repeated; the other node has it. The
 * old volumes are claimed from before they are renamed until they are removed: recovery removes
 * them once the disks are complete without them. @throws ExecError
 */
export async function replaceInPlace(world: World, replacement: Replacement): Promise<void> {
  const { target, other, instance } = replacement;
  step(world, 1, stepsTotal, "Check device existence");
  await checkExistence(world, replacement, [other, target]);
  await checkVolumeGroup(world, [target, other]);
  step(world, 2, stepsTotal, "Check peer consistency");
  const isPrimary = other === instance.primary_node;
  await checkConsistency(world, replacement, { node: other, isPrimary });
  const demands = inPlaceDemands(world, replacement);
  const planned = newStorage(world, replacement);
  const volumes = planned.flatMap((one) => one.volumes);
  const copies = planned.map(({ disk, replaced }) => ({ disk, devices: replaced }));
  const claims = await takeClaims<Claim>(world, demands, (now) => {
    const context = contextAt(world, now);
    return [
      claimOfOldCopies(context, target, copies),
      ...demands.map((demand) => claimOf(context, demand, 0, volumes)),
    ];
  });
  const [old, ...made] = claims;
  const replaced = await abandoningOnFailure(world, claims, async () => {
    step(world, 3, stepsTotal, "Allocate new storage");
    await createVolumes(world, replacement, planned);
    step(world, 4, stepsTotal, "Changing drbd configuration");
    const storage: OldStorage[] = [];
    for (const one of planned) storage.push(await exchange(world, replacement, one));
    return storage;
  });
  await giveUpClaims(world, made);
  await completeReplacement(world, replacement, replaced, old);
}

/** New volumes of the same sizes, under temporary names. */
function newStorage(world: World, replacement: Replacement): readonly NewStorage[] {
  const now = world.config.snapshot;
  const { random } = world.config;
  const disks = replacedDisks(world, replacement);
  const old = disks.flatMap(([, { children }]) => children);
  let seconds = Math.floor(world.clock.wallMicros() / 1e6);
  // An earlier old copy may have been renamed in the same second.
  while (claimedName(now, replacement.target, renamedOld(old, seconds)) !== undefined) seconds++;
  return disks.map(([at, disk]) => ({
    at,
    disk,
    volumes: disk.children.map((child, which) => ({
      ...child,
      uuid: newUuid<DiskUuid>(now, random),
      logical_id: [
        child.logical_id[0] ?? null,
        `${newUuid(now, random)}.disk${at}_${which === 0 ? "data" : "meta"}`,
      ],
    })),
    replaced: renamedOld(disk.children, seconds),
  }));
}

const renamedOld = (volumes: Volumes, seconds: number): Volumes =>
  volumes.map((volume) => ({
    ...volume,
    logical_id: [volume.logical_id[0] ?? null, `${volume.logical_id[1]}_replaced-${seconds}`],
  }));

/** Creates all volumes, or removes them again if one fails. @throws ExecError */
async function createVolumes(
  world: World,
  { target, instance }: Replacement,
  planned: readonly NewStorage[],
): Promise<void> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  for (const [which, { at, volumes }] of planned.entries()) {
    info(world, `Adding storage on ${nodeName(now, target)} for disk/${at}`);
    for (const volume of volumes) {
      const answer = await createSingleDevice(context, instance, volume, target);
      if (answer.ok) continue;
      for (const one of planned.slice(0, which + 1).flatMap((storage) => storage.volumes)) {
        await removeDevice(context, instance, one, target);
      }
      throw new ExecError(answer.message);
    }
  }
}

/** Attaches the new volumes to the mirror in place of the old ones. @throws ExecError */
async function exchange(
  world: World,
  { instance, target }: Replacement,
  { disk, volumes, replaced }: NewStorage,
): Promise<OldStorage> {
  const now = world.config.snapshot;
  const name = nodeName(now, target);
  const onNode = (one: RealDisk | Volumes[number]) => diskOnNode(now, instance, one);
  const label = disk.iv_name ?? "";
  info(world, `Detaching ${label} drbd from local storage`);
  valueOrFail(
    await ask(world, target, "blockdev_removechildren", {
      disk: onNode(disk),
      children: disk.children.map(onNode),
    }),
    `Can't detach drbd from local storage on node ${name} for device ${label}`,
  );
  // Lost volumes cannot be renamed.
  const renames: { disk: ReturnType<typeof onNode>; logicalId: Volumes[number]["logical_id"] }[] =
    [];
  for (const [at, child] of disk.children.entries()) {
    const found = await ask(world, target, "blockdev_find", { disk: onNode(child) });
    const logicalId = replaced[at]?.logical_id;
    if (found.ok && found.value !== null && logicalId !== undefined) {
      renames.push({ disk: onNode(child), logicalId });
    }
  }
  info(world, "Renaming the old LVs on the target node");
  valueOrFail(
    await ask(world, target, "blockdev_rename", { renames }),
    `Can't rename old LVs on node ${name}`,
  );
  info(world, "Renaming the new LVs on the target node");
  valueOrFail(
    await ask(world, target, "blockdev_rename", {
      renames: volumes.map((volume, at) => ({
        disk: onNode(volume),
        logicalId: disk.children[at]?.logical_id ?? [],
      })),
    }),
    `Can't rename new LVs on node ${name}`,
  );
  info(world, `Adding new mirror component on ${name}`);
  const added = await ask(world, target, "blockdev_addchildren", {
    disk: onNode(disk),
    children: disk.children.map(onNode),
  });
  if (added.ok) return { label, disk, volumes: replaced };
  for (const child of disk.children) {
    const removed = await ask(world, target, "blockdev_remove", { disk: onNode(child) });
    if (removed.ok) continue;
    const hint = "cleanup manually the unused logicalvolumes";
    warn(world, `Can't rollback device ${label}: ${removed.message}`, hint);
  }
  throw new ExecError(`Can't add local storage to drbd: ${added.message}`);
}
