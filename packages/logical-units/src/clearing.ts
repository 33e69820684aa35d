/** Removal of the devices that an entry of a job holds on nodes. */

import {
  type ConfigChange,
  type Configuration,
  diskOnNode,
  hypervisorOnNode,
  instanceOnNode,
  realDisksOf,
  releaseChanges,
  removalChanges,
  type Snapshot,
} from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type {
  CancelSignal,
  DiskObject,
  ForthcomingDisk,
  ForthcomingInstance,
  InstanceUuid,
  JobId,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { claimOfRemoval, exportOf, isUnnamed, putting, recreatedDisks } from "./capacity/claim.js";
import { commitMarks, formerOf, markedReservation } from "./instance/create/commit-mark.js";
import { goingBack, settling } from "./instance/create/commit-steps.js";
import { renewedDisks } from "./instance/create/renewal.js";
import { forthcomingDisk, realInstance } from "./instance/create/reservation.js";
import { nodesOfDisk } from "./instance/disks/activation.js";
import { adoptedVolume, isNameGivenBack } from "./instance/disks/adopted.js";
import { directoryOf } from "./instance/disks/directory.js";
import { diskOfFile, isInFolder, movedInPlace } from "./instance/disks/moved-files.js";
import { onlyOn } from "./instance/disks/one-side.js";
import { isStillNeeded } from "./instance/replacement/old-copies.js";
import { stopLeft } from "./instance/running/left-running.js";
import { ask } from "./unit/calls.js";
import { contextAt } from "./unit/context.js";

/** Ports for the recovery of jobs that died: configuration, nodes and the lease to act under. */
export interface RecoveryPorts {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  /** Lease of the calling worker. */
  readonly lease: string;
  readonly signal: CancelSignal;
}

/** A device that has to stay on a node for now: the node is offline, or the device is still needed there. */
interface Remaining {
  readonly node: NodeUuid;
  readonly disk: DiskObject;
}

/**
 * Removes the devices that the entry holds from their nodes, then the entry. If a node refuses or does not answer, the
 * entry stays; one of a creation gives up its name and addresses. Devices on offline nodes, and old copies of disks whose
 * new copy is not complete, pass to claims of their own, which hold no space. Gives the UUIDs of the entries that were
 * dropped.
 */
export async function clearHeld(
  ports: RecoveryPorts,
  held: ForthcomingInstance,
): Promise<readonly InstanceUuid[]> {
  if (!isThere(ports.config.snapshot, held)) return [];
  const unfinished = madeReal(ports.config.snapshot, held);
  if (unfinished !== undefined) return endCommit(ports, held, unfinished);
  const remaining = await removeDevices(ports, held);
  if (remaining === undefined) {
    await giveUpName(ports, held);
    return [];
  }
  const isClaim = held.name === undefined && markedReservation(held) === undefined;
  if (isClaim && remaining.length > 0 && remaining.length === held.disks.length) return [];
  const { value } = await ports.config.change((latest) => {
    const uuids = isThere(latest, held) ? togetherWith(latest, held) : [];
    const rest = uuids.length === 0 ? [] : claimsOfRemaining(ports, latest, held, remaining);
    const renewed = uuids.length === 0 ? [] : renewals(ports, latest, held, remaining);
    const changes = [...removalChanges(latest, uuids), ...renewed, ...rest.flatMap(putting)];
    return { changes, value: uuids };
  }, ports);
  return value;
}

/** The instance that the entry's reservation has become. */
function madeReal(now: Snapshot, held: ForthcomingInstance): RealInstance | undefined {
  const reservation = markedReservation(held);
  const entry = reservation === undefined ? undefined : now.instance(reservation);
  return entry?.forthcoming ? undefined : entry;
}

/**
 * An instance whose commit died is finished if it runs; else its disks are removed, and it is the reservation again that
 * it was. While a node does not tell, everything stays as it is.
 */
async function endCommit(
  ports: RecoveryPorts,
  held: ForthcomingInstance,
  instance: RealInstance,
): Promise<readonly InstanceUuid[]> {
  const now = ports.config.snapshot;
  const former = formerOf(now, instance.uuid);
  const outcome = former === undefined ? "runs" : await unmade(ports, now, instance);
  if (outcome === "unknown") return [];
  const { value } = await ports.config.change((latest) => {
    const real = madeReal(latest, held);
    if (!isThere(latest, held) || real === undefined) return { changes: [], value: [] };
    const value = commitMarks(latest, real.uuid).map(({ uuid }) => uuid);
    if (outcome === "runs" || former === undefined) {
      return { changes: settling(latest, real.uuid), value };
    }
    const disks = latest.disksOf(real).map((disk) => forthcomingDisk(disk as RealDisk, true));
    const completed = { instance: { ...real, forthcoming: true } as const, disks };
    const { config } = ports;
    const context = contextAt({ config, jobId: held.held_by as JobId }, latest);
    const back = goingBack(context, { former, completed }, outcome);
    const rest = claimsOfRemaining(ports, latest, held, outcome).flatMap(putting);
    return { changes: [...back, ...rest], value };
  }, ports);
  return value;
}

/** Stops what an unfinished commit runs, the installation at most, and removes the disks. Returns devices that remain. */
async function unmade(
  ports: RecoveryPorts,
  now: Snapshot,
  instance: RealInstance,
): Promise<readonly Remaining[] | "runs" | "unknown"> {
  const { name, hypervisor, primary_node: node, admin_state } = instance;
  const wanted = { name, hypervisor: hypervisorOnNode(now, hypervisor) };
  const running = await ask(ports, node, "instance_info", wanted);
  if (!running.ok && !running.offline) return "unknown";
  const mayRun = !running.ok || running.value !== null;
  // It is marked up once it is installed: nothing but its start may be missing.
  if (admin_state === "up" && mayRun) return "runs";
  if (running.ok && running.value !== null) {
    const what = { instance: instanceOnNode(now, instance), timeoutSeconds: 0 };
    if (!(await ask(ports, node, "instance_shutdown", what)).ok) return "unknown";
  }
  const remaining: Remaining[] = [];
  let isDone = true;
  for (const disk of realDisksOf(now, instance)) {
    for (const on of nodesOfDisk(disk, node)) {
      const outcome = await removeFrom(ports, now, instance, disk, on);
      if (outcome === "remains") remaining.push({ node: on, disk });
      isDone &&= outcome !== "failed";
    }
  }
  return isDone ? remaining : "unknown";
}

/**
 * The entry of a creation keeps its disks alone, with their minors and ports, so that an instance of this name can be made
 * at once. All other entries of jobs have no name.
 */
async function giveUpName(ports: RecoveryPorts, held: ForthcomingInstance): Promise<void> {
  if (held.name === undefined || markedReservation(held) !== undefined) return;
  await ports.config.change((latest) => {
    const entry = latest.instance(held.uuid);
    if (!entry?.forthcoming || !isThere(latest, held)) return { changes: [], value: undefined };
    const { name: _, network_port: __, ...rest } = entry;
    const object: ForthcomingInstance = { ...rest, nics: [] };
    const released = releaseChanges(latest, [{ instance: entry, disks: [] }]);
    const put = { kind: "put", type: "instance", object } as const;
    return { changes: [put, ...released], value: undefined };
  }, ports);
}

export function isThere(now: Snapshot, { uuid }: Pick<ForthcomingInstance, "uuid">): boolean {
  const entry = now.instance(uuid);
  return entry?.forthcoming === true && entry.held_by !== undefined;
}

/** All entries that a job holds to make one reservation real are dropped together. */
function togetherWith(now: Snapshot, held: ForthcomingInstance): readonly InstanceUuid[] {
  const reservation = markedReservation(held);
  return (reservation === undefined ? [held] : commitMarks(now, reservation)).map(
    ({ uuid }) => uuid,
  );
}

function claimsOfRemaining(
  { config }: RecoveryPorts,
  now: Snapshot,
  held: ForthcomingInstance,
  remaining: readonly Remaining[],
) {
  const { held_by: jobId } = held;
  if (jobId === undefined) return [];
  const nodes = new Set(remaining.map(({ node }) => node).filter((node) => now.node(node)));
  return [...nodes].map((node) => {
    const there = remaining.filter((one) => one.node === node);
    const disks = there.map(({ disk }) => onlyOn(node, disk as RealDisk));
    return claimOfRemoval(contextAt({ config, jobId }, now), node, disks);
  });
}

/** The reservation that the entry makes real gives up the names of what remains. */
function renewals(
  { config }: RecoveryPorts,
  now: Snapshot,
  held: ForthcomingInstance,
  remaining: readonly Remaining[],
): readonly ConfigChange[] {
  const reservation = markedReservation(held);
  const entry = reservation === undefined ? undefined : now.instance(reservation);
  if (!entry?.forthcoming) return [];
  const disks = now.disksOf(entry) as readonly ForthcomingDisk[];
  const renewed = renewedDisks({ now, config }, disks, remaining);
  return Array.from(renewed.values(), (object) => ({ kind: "put", type: "disk", object }));
}

/**
 * A creation holds its disks; a reservation that is being made real holds its future disks, unless
 * it is real already. An adopted volume gets its name back if it has an owner. Undefined if a device could not be
 * removed.
 */
async function removeDevices(
  ports: RecoveryPorts,
  held: ForthcomingInstance,
): Promise<readonly Remaining[] | undefined> {
  const now = ports.config.snapshot;
  if (!(await stopLeft(ports, held))) return undefined;
  if (!(await isExportGone(ports, now, held))) return undefined;
  if (!(await areRecreatedGone(ports, now, held))) return undefined;
  const reservation = markedReservation(held);
  const entry = reservation === undefined ? held : now.instance(reservation);
  if (entry?.primary_node === undefined || !entry.forthcoming) return [];
  const instance = realInstance(entry);
  const remaining: Remaining[] = [];
  let isDone = true;
  for (const reserved of reservation === undefined ? now.disksOf(held) : toBeMade(now, entry)) {
    if (reserved.dev_type === undefined || reserved.logical_id === undefined) continue;
    if (isUnnamed(reserved)) continue;
    const disk = forthcomingDisk(reserved as RealDisk, false);
    const adopted = adoptedVolume(now, reserved);
    const isSpared =
      adopted !== undefined && !(await isNameGivenBack(ports, now, instance, disk, adopted));
    const spared = isSpared ? entry.primary_node : undefined;
    const sparing = spared === undefined ? undefined : now.node(spared);
    if (sparing?.offline) remaining.push({ node: sparing.uuid, disk: reserved });
    else if (sparing !== undefined) isDone = false;
    // A claim holds only one side of a mirror.
    const nodes = nodesOfDisk(disk, entry.primary_node).filter(
      (node: NodeUuid | null) => node !== null && node !== spared && now.node(node) !== undefined,
    );
    for (const node of nodes) {
      const outcome = await clearedFrom(
        ports,
        now,
        instance,
        { ...disk, params: reserved.params },
        node,
      );
      if (outcome === "remains") remaining.push({ node, disk: reserved });
      isDone &&= outcome !== "failed";
    }
  }
  return isDone ? remaining : undefined;
}

/** Removes the device, unless it has to stay; moves a file that belongs to a disk. */
async function clearedFrom(
  ports: RecoveryPorts,
  now: Snapshot,
  instance: RealInstance,
  held: RealDisk,
  node: NodeUuid,
): Promise<"gone" | "remains" | "failed"> {
  const disk = diskOfFile(now, held);
  if (disk !== undefined) return movedInPlace(ports, now, instance, { file: held, disk, node });
  const isNeeded = await isStillNeeded(ports, now, instance, held, node);
  return isNeeded ? "remains" : removeFrom(ports, now, instance, held, node);
}

async function removeFrom(
  ports: RecoveryPorts,
  now: Snapshot,
  instance: RealInstance,
  disk: RealDisk,
  node: NodeUuid,
): Promise<"gone" | "remains" | "failed"> {
  for (const part of [disk, ...disk.children]) {
    const device = { disk: diskOnNode(now, instance, part) };
    const answer = await ask(ports, node, "blockdev_remove", device);
    if (!answer.ok) return answer.offline ? "remains" : "failed";
  }
  // The folder stays while it contains other disks.
  if (isInFolder(disk)) {
    await ask(ports, node, "file_storage_dir_remove", { directory: directoryOf(disk) });
  }
  return "gone";
}

/** An export under way has a folder of its own until it is finished. */
async function isExportGone(
  ports: RecoveryPorts,
  now: Snapshot,
  held: ForthcomingInstance,
): Promise<boolean> {
  const { primary_node: node } = held;
  const name = exportOf(held);
  if (name === undefined || node === undefined || now.node(node) === undefined) return true;
  const folder = `${name}.new`;
  if ((await ask(ports, node, "export_remove", { name: folder })).ok) return true;
  // Nodes of Ganeti refuse to remove a folder that is gone, and to list exports before there was one.
  const exports = await ask(ports, node, "export_list", {});
  return exports.ok ? !exports.value.includes(folder) : exports.message === "No exports directory";
}

/**
 * Disks that did not exist before the job and stay with the instance. Active ones have been put to
 * use since.
 */
async function areRecreatedGone(
  ports: RecoveryPorts,
  now: Snapshot,
  held: ForthcomingInstance,
): Promise<boolean> {
  for (const uuid of recreatedDisks(held)) {
    const disk = now.disk(uuid);
    const owner = now.instanceOfDisk(uuid);
    if (disk === undefined || disk.forthcoming) continue;
    if (owner === undefined || owner.forthcoming || owner.disks_active) continue;
    for (const node of nodesOfDisk(disk, owner.primary_node)) {
      if ((await removeFrom(ports, now, owner, disk, node)) !== "gone") return false;
    }
  }
  return true;
}

/**
 * The disks of the new form, if it replaces all disks; a claim on capacity alone has a node and no
 * devices.
 */
function toBeMade(now: Snapshot, reservation: ForthcomingInstance): readonly DiskObject[] {
  const others = commitMarks(now, reservation.uuid).flatMap((mark) =>
    mark.primary_node === undefined ? now.disksOf(mark) : [],
  );
  return others.length > 0 ? others : now.disksOf(reservation);
}
