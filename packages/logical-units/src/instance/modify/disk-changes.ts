/** Disks added to an instance, changed, removed, detached or attached, one after the other. */

import {
  diskOnNode,
  diskTemplate,
  nodesOfInstance,
  put,
  realDisksOf,
  removal,
  type Snapshot,
  secondaryNodes,
} from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import {
  type DiskChanges,
  type DiskTemplate,
  type DiskUuid,
  instanceDisksMax,
  type OpcodeDisk,
  type RealDisk,
  type RealInstance,
} from "@ganeti-ts/protocol";
import { putting } from "../../capacity/claim.js";
import { abandonClaims, checkStillClaimed } from "../../capacity/with-claims.js";
import { ask, valueOrFail } from "../../unit/effects.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import { applied, contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { checkDiskAccess } from "../create/placement.js";
import { withRoundedSize } from "../create/request.js";
import { claimsOfLeft, createDisks, removeDisks } from "../disks/creation.js";
import { wipeDisks } from "../disks/disk-content.js";
import { checkDiskSpindles, isExclusive as isExclusiveOn } from "../disks/growth.js";
import { waitForSync } from "../disks/sync.js";
import { mistyped } from "../parameters/parameter-types.js";
import { type Changed, checkNothingGiven, indexOf, newIndex } from "../plan/changes.js";
import { fileDirectory, plannedDisk } from "../plan/disks.js";
import { checkDeviceNames, isNone } from "../plan/names.js";
import { portOf, portsFreed } from "../plan/places.js";
import { releaseOldCopies } from "../replacement/discard.js";
import { assembleDisks, shutdownDisks } from "../running/activation.js";
import { checkInstanceState } from "../running/running.js";
import { notRunning } from "../state.js";
import { attachFile, detachFile } from "./disk-files.js";
import { hotplug } from "./hotplug.js";
import { holdDisks, renumbered, settled } from "./new-disks.js";
import type { SetOp } from "./parameters.js";

const modifiable: ReadonlySet<string> = new Set(["mode", "name"]);

/** Checks before any effect. @throws PrereqError, ExecError */
export async function checkDiskChanges(
  context: UnitContext,
  instance: RealInstance,
  op: SetOp,
  isHotplug: boolean,
): Promise<void> {
  const { now } = context;
  const disks: { uuid: string; name?: string | undefined }[] = [...realDisksOf(now, instance)];
  for (const change of op.disks) {
    await checkArguments(context, instance, op, change, isHotplug);
  }
  // The device reference is checked last.
  for (const [action, reference, given] of op.disks) {
    if (action === "add" || action === "attach") {
      const at = newIndex("disk", reference, disks.length);
      const added =
        action === "add" ? { uuid: "", name: given.name } : freeDisk(now, instance, given);
      disks.splice(at, 0, added);
      continue;
    }
    const at = indexOf("disk", reference, disks);
    if (action === "modify") {
      if (given.name !== undefined) {
        disks[at] = { uuid: disks[at]?.uuid ?? "", name: given.name };
      }
    } else disks.splice(at, 1);
  }
  checkDeviceNames("disk", disks);
  if (disks.length > instanceDisksMax) {
    wrongState(`Instance has too many disks (${instanceDisksMax}), cannot add more`);
  }
}

/** Checks of one change that do not depend on the device it is about. */
async function checkArguments(
  context: UnitContext,
  instance: RealInstance,
  op: SetOp,
  [action, , given]: DiskChanges[number],
  isHotplug: boolean,
): Promise<void> {
  const template = diskTemplate(context.now, instance) ?? "diskless";
  checkNothingGiven("disk", action, given);
  if (action === "add") checkNewDisk(context.now, instance, template, given);
  if ((action === "add" || action === "attach") && !op.wait_for_sync && !instance.disks_active) {
    wrongInput(
      `Can't ${action} a disk to an instance with deactivated disks and --no-wait-for-sync given`,
    );
  }
  if (action === "attach") freeDisk(context.now, instance, given);
  if (action === "modify") checkModification(template, given);
  if (action === "remove" && !isHotplug) {
    const why = "can't remove volume from a running instance without using hotplug";
    await checkInstanceState(context, instance, notRunning, why);
  }
}

function checkNewDisk(
  now: Snapshot,
  instance: RealInstance,
  template: string,
  given: OpcodeDisk,
): void {
  if (template === "diskless") wrongInput("Must specify disk type on diskless instance");
  const { mode = "rw" } = given;
  if (mode !== "rw" && mode !== "ro") wrongInput(`Invalid disk access mode '${mode}'`);
  if (given.size === undefined) wrongInput("Required disk parameter 'size' missing");
  const isExclusive = nodesOfInstance(now, instance).some((node) => isExclusiveOn(now, node));
  checkDiskSpindles(given.spindles, isExclusive, true);
  plannedDisk(given, template as DiskTemplate, now.cluster.volume_group_name ?? "");
  checkDiskAccess(now, instance, template, given.access);
}

function checkModification(template: string, given: OpcodeDisk): void {
  if (given.size !== undefined) wrongInput("Disk size change not possible, use grow-disk");
  if (given.mode !== undefined && given.mode !== "rw" && given.mode !== "ro") {
    wrongInput(`Invalid disk access mode '${given.mode}'`);
  }
  for (const key of Object.keys(given)) {
    if (template !== "ext" && !modifiable.has(key)) throw mistyped(`Unknown parameter '${key}'`);
    if (key === "access" || key === "provider") {
      wrongInput(`Disk '${key}' parameter change is not possible`);
    }
  }
}

/** A disk without an instance that can be attached to this one. */
function freeDisk(now: Snapshot, instance: RealInstance, given: OpcodeDisk): RealDisk {
  const { uuid, name } = given;
  if (Object.keys(given).length !== 1 || (uuid === undefined && name === undefined)) {
    wrongInput("Only one argument is permitted in attach op, either name or uuid");
  }
  const disk =
    uuid === undefined
      ? [...now.disks()].find((one) => one.name === name && isFree(now, one.uuid))
      : now.disk(uuid as DiskUuid);
  if (disk === undefined || disk.forthcoming) {
    const how = uuid === undefined ? `name: ${name}` : `UUID: ${uuid}`;
    return wrongInput(`No disk was found with this ${how}`);
  }
  if (!isFree(now, disk.uuid)) wrongInput(`Disk ${disk.uuid} is already attached to an instance`);
  const template = diskTemplate(now, instance);
  if (template !== "diskless" && template !== disk.dev_type) {
    wrongInput(`Instance has '${template}' template while disk has '${disk.dev_type}' template`);
  }
  const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
  if (disk.nodes.length > 0 && nodes.some((node) => !disk.nodes.includes(node))) {
    wrongInput(
      `Disk nodes are ${disk.nodes.join(", ")} while the instance's nodes are ${nodes.join(", ")}`,
    );
  }
  return disk;
}

const isFree = (now: Snapshot, uuid: DiskUuid) => now.instanceOfDisk(uuid) === undefined;

/** Carries out the changes; each is in the configuration before the next one begins. */
export async function changeDisks(
  world: World,
  uuid: RealInstance["uuid"],
  op: SetOp,
  isHotplug: boolean,
): Promise<readonly Changed[]> {
  const changed: Changed[] = [];
  for (const change of op.disks)
    changed.push(...(await changeDisk(world, uuid, op, change, isHotplug)));
  return changed;
}

async function changeDisk(
  world: World,
  uuid: RealInstance["uuid"],
  op: SetOp,
  [action, reference, given]: DiskChanges[number],
  isHotplug: boolean,
): Promise<readonly Changed[]> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const instance = now.instance(uuid) as RealInstance;
  const disks = realDisksOf(now, instance);
  if (action === "add" || action === "attach") {
    const added = { given, at: newIndex("disk", reference, disks.length) };
    return action === "add"
      ? addDisk(context, instance, op, added, isHotplug)
      : attachDisk(context, instance, added, isHotplug);
  }
  const at = indexOf("disk", reference, disks);
  const disk = disks[at] as RealDisk;
  if (action === "modify") return modifyDisk(world, disk, given, at);
  const changed: Changed[] = [[`disk/${at}`, action]];
  if (isHotplug) {
    const device = diskOnNode(now, instance, disk);
    const removed = { type: "disk", device, index: at, extra: null } as const;
    changed.push([`disk/${at}`, await hotplug(world, instance, "remove", removed)]);
  }
  if (isHotplug || action === "detach") await shutdownDisks(world, instance, { disks: [disk] });
  const others = disks.filter((one) => one !== disk);
  if (action === "remove") {
    await releaseOldCopies(world, [disk]);
    const { left } = await removeDisks(context, instance, [disk], { keeping: others });
    await applied(world, (latest) => [
      ...detached(latest, uuid, disk),
      removal("disk", disk.uuid),
      ...portsFreed(latest.cluster, [portOf(disk)]),
      ...claimsOfLeft(contextAt(world, latest), left).map(putting),
    ]);
    return changed;
  }
  await detachFile(context, instance, disk, (latest, logical_id) => {
    const object = { ...(latest.disk(disk.uuid) as RealDisk), logical_id };
    return [...detached(latest, uuid, disk), put("disk", object)];
  });
  return changed;
}

/** Detaches the disk; the following disks move up. */
function detached(now: Snapshot, uuid: RealInstance["uuid"], { uuid: gone }: RealDisk) {
  const instance = now.instance(uuid) as RealInstance;
  const others = realDisksOf(now, instance).filter((disk) => disk.uuid !== gone);
  const object = { ...instance, disks: others.map((disk) => disk.uuid) };
  return [put("instance", object), ...renumbered(others)];
}

/** A disk that an instance gets, with its opcode parameters and its index. */
interface AddedDisk {
  readonly given: OpcodeDisk;
  readonly at: number;
}

async function addDisk(
  context: UnitContext,
  instance: RealInstance,
  op: SetOp,
  { given, at }: AddedDisk,
  isHotplug: boolean,
): Promise<readonly Changed[]> {
  const { now } = context;
  const template = diskTemplate(now, instance) as DiskTemplate;
  const held = await holdDisks(context, instance, {
    template,
    primary: instance.primary_node,
    baseIndex: at,
    secondary: secondaryNodes(now, instance)[0],
    planned: [plannedDisk(withRoundedSize(given), template, now.cluster.volume_group_name ?? "")],
    directory: fileDirectory(now, template, instance.name, op.file_storage_dir),
    driver: op.file_driver ?? "loop",
  });
  for (const note of held.notes) context.log(note);
  const [disk] = held.disks;
  if (disk === undefined) return [];
  try {
    await createDisks(contextAt(context, context.config.snapshot), instance, [disk]);
  } catch (error) {
    await abandonClaims(context, [held.claim]);
    throw error;
  }
  const snapshot = await applied(context, (latest) => {
    const before = latest.instance(instance.uuid) as RealInstance;
    checkStillClaimed(latest, held.claim);
    const order = realDisksOf(latest, before).toSpliced(at, 0, disk);
    return settled(held, before, order);
  });
  const after = snapshot.instance(instance.uuid) as RealInstance;
  const added = snapshot.disk(disk.uuid) as RealDisk;
  if (snapshot.cluster.prealloc_wipe_disks)
    await wipeDisks(contextAt(context, snapshot), after, [added]);
  const changed: Changed[] = [[`disk/${at}`, `add:size=${disk.size},mode=${disk.mode}`]];
  if (isHotplug) changed.push(await plugged(context, after, added, at));
  if (!(await waitForSync(context, after, { disks: [added], oneshot: !op.wait_for_sync }))) {
    throw new ExecError(`Failed to sync disks of ${instance.name}`);
  }
  if (!after.disks_active) await shutdownDisks(context, after, { disks: [added] });
  return changed;
}

async function plugged(
  world: World,
  instance: RealInstance,
  disk: RealDisk,
  at: number,
): Promise<Changed> {
  const { ok, found } = await assembleDisks(world, instance, { disks: [disk] });
  const [device] = found;
  if (!ok || device === undefined) return [`disk/${at}`, "assemble:failed"];
  const { link, uri } = device;
  const added = {
    ...{ type: "disk" as const, device: diskOnNode(world.config.snapshot, instance, disk) },
    ...{ index: at, extra: { link, uri } },
  };
  return [`disk/${at}`, await hotplug(world, instance, "add", added)];
}

async function attachDisk(
  context: UnitContext,
  instance: RealInstance,
  { given, at }: AddedDisk,
  isHotplug: boolean,
): Promise<readonly Changed[]> {
  const disk = freeDisk(context.now, instance, given);
  const snapshot = await attachFile(context, instance, { disk, at }, (latest, logical_id) => {
    const before = latest.instance(instance.uuid) as RealInstance;
    const own = { ...(latest.disk(disk.uuid) as RealDisk), logical_id };
    const order = realDisksOf(latest, before).toSpliced(at, 0, own);
    const object = { ...before, disks: order.map((one) => one.uuid) };
    return [...renumbered(order), put("instance", object)];
  });
  const after = snapshot.instance(instance.uuid) as RealInstance;
  const attached = snapshot.disk(disk.uuid) as RealDisk;
  const changed: Changed[] = [[`disk/${at}`, `attach:size=${disk.size},mode=${disk.mode}`]];
  if (isHotplug) return [...changed, await plugged(context, after, attached, at)];
  const { ok } = await assembleDisks(context, after, { disks: [attached] });
  if (!ok) return [...changed, [`disk/${at}`, "assemble:failed"]];
  if (!after.disks_active) await shutdownDisks(context, after, { disks: [attached] });
  return changed;
}

async function modifyDisk(
  world: World,
  { uuid }: RealDisk,
  given: OpcodeDisk,
  at: number,
): Promise<readonly Changed[]> {
  const changed: Changed[] = [];
  const name = isNone(given.name) ? null : (given.name ?? null);
  const { mode, name: _, ...params } = given;
  if (mode !== undefined) changed.push([`disk.mode/${at}`, mode]);
  if (given.name !== undefined) changed.push([`disk.name/${at}`, name]);
  for (const [key, value] of Object.entries(params))
    changed.push([`disk.params:${key}/${at}`, value as string]);
  await applied(world, (now) => {
    const { name: old, ...disk } = now.disk(uuid) as RealDisk;
    const kept = given.name === undefined ? old : (name ?? undefined);
    const merged = Object.entries({ ...disk.params, ...params }).filter(
      ([, value]) => value !== "default",
    );
    const object = {
      ...disk,
      ...(mode === undefined ? {} : { mode: mode as "rw" | "ro" }),
      ...(kept === undefined ? {} : { name: kept }),
      params: Object.fromEntries(merged),
    } as RealDisk;
    return [put("disk", object)];
  });
  return changed;
}

/** Renames volumes on the node that get other names by a conversion or a detachment. */
export async function renameVolumes(
  context: UnitContext,
  instance: RealInstance,
  renames: readonly { readonly disk: RealDisk; readonly logicalId: RealDisk["logical_id"] }[],
  failure: string,
): Promise<void> {
  valueOrFail(
    await ask(context, instance.primary_node, "blockdev_rename", {
      renames: renames.map(({ disk, logicalId }) => ({
        disk: diskOnNode(context.now, instance, disk),
        logicalId,
      })),
    }),
    failure,
  );
}
