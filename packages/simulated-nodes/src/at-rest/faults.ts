/** faultsAtRest: violations of what holds for a cluster at rest. */
import {
  consistencyFaults,
  devicesOfClaim,
  fileStorage,
  filledNdparams,
  groupPolicy,
  isReserved,
  limitedOn,
  reservedOn,
  type Share,
  type Snapshot,
  shareOf,
  shareOfClaim,
} from "@ganeti-ts/config";
import type { NetworkObject, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import { memoryFree } from "../figures.js";
import type { HostState } from "../node-state.js";
import type { SimulatedNodes } from "../simulated-nodes.js";

/** Violations, as texts; no operation may be running. */
export function faultsAtRest(now: Snapshot, simulated: SimulatedNodes): readonly string[] {
  const faults = [...consistencyFaults(now)];
  for (const { uuid } of now.claims()) faults.push(`${uuid} is still held`);
  for (const network of now.networks()) faults.push(...addressFaults(now, network));
  faults.push(...strayShared(now, simulated));
  for (const node of now.nodes()) {
    const host = simulated.stateOf(node.uuid);
    if (host === undefined) continue;
    const { primary, secondary } = now.instancesOfNode(node.uuid);
    const instances = [...new Set([...primary, ...secondary])];
    // Claims are reported separately.
    const free = [...now.disks()].filter(({ uuid }) => now.instanceOfDisk(uuid) === undefined);
    const known = instances
      .filter((one) => !one.forthcoming)
      .flatMap((one) => now.disksOf(one))
      .concat(free, now.claimsOfNode(node.uuid).flatMap(devicesOfClaim))
      .flatMap((disk) => [disk, ...disk.children]);
    const names = new Set(known.map(({ logical_id }) => String(logical_id?.[1])));
    const secrets = new Set(known.map(({ logical_id }) => logical_id?.[5]));
    faults.push(...strayFaults(node, host, names, secrets));
    const group = host.volumeGroups.xenvg;
    let usedMib = 0;
    for (const { sizeMib } of Object.values(group?.volumes ?? {})) usedMib += sizeMib;
    const sizes = Object.values(group?.physicalVolumes ?? {}).map(({ sizeMib }) => sizeMib);
    const diskMib = sizes.reduce((sum, size) => sum + size, 0);
    let leftMib = diskMib - usedMib;
    const { sizeMib, usedMib: foreignMib, disks: files } = host.fileSystem;
    let fileMib = sizeMib - foreignMib;
    for (const { sizeMib: own } of Object.values(files)) fileMib -= own;
    const take = (share: Share) => {
      leftMib -= share.diskMib.xenvg ?? 0;
      fileMib -= share.diskMib[fileStorage] ?? 0;
    };
    for (const instance of instances) {
      if (instance.forthcoming) take(shareOf(now, instance, node.uuid));
    }
    for (const claim of now.claimsOfNode(node.uuid)) take(shareOfClaim(now, claim, node.uuid));
    faults.push(...limitFaults(now, node, host.cpuTotal));
    const memoryMib = memoryLeft(now, node.uuid, host);
    if (memoryMib < 0) faults.push(`${node.name}: ${-memoryMib} MiB of memory too much reserved`);
    if (fileMib < 0) faults.push(`${node.name}: ${-fileMib} MiB of files too much reserved`);
    if (leftMib < 0) faults.push(`${node.name}: ${-leftMib} MiB of disk too much reserved`);
  }
  return faults;
}

/**
 * Memory (MiB) that the node has for one more instance, below 0 if too much is reserved. Without reservations it decides alone
 * how much it gives; beside them, memory that was given to guests counts even if they have not touched it.
 */
export function memoryLeft(now: Snapshot, node: NodeUuid, host: HostState): number {
  const { memoryMib: reservedMib } = reservedOn(now, node);
  if (reservedMib === 0) return memoryFree(host);
  let left = host.memoryTotalMib - host.memoryNodeMib - reservedMib;
  for (const { memoryMib } of Object.values(host.instances)) left -= memoryMib;
  return left;
}

/** Volumes, files, mirrors and running exports without an owner. */
function* strayFaults(
  node: NodeObject,
  host: HostState,
  names: ReadonlySet<string>,
  secrets: ReadonlySet<unknown>,
): Iterable<string> {
  const stray = (what: string) => `${node.name}: ${what} belongs to nobody`;
  for (const { volumes } of Object.values(host.volumeGroups)) {
    for (const name of Object.keys(volumes)) {
      if (!names.has(name) && !name.startsWith("filler")) yield stray(`volume ${name}`);
    }
  }
  for (const path of Object.keys(host.fileSystem.disks)) {
    if (!names.has(path)) yield stray(`file ${path}`);
  }
  for (const [minor, { up, secret }] of Object.entries(host.drbd)) {
    if (up && !secrets.has(secret)) yield stray(`mirror drbd${minor}`);
  }
  for (const name of Object.keys(host.exportsUnderWay)) yield stray(`export ${name}.new`);
}

/** Shared disks without an owner. */
function* strayShared(now: Snapshot, simulated: SimulatedNodes): Iterable<string> {
  const names = new Set<string>();
  const claimed = [...now.claims()].flatMap(devicesOfClaim);
  for (const disk of [...now.disks(), ...claimed]) {
    if (now.instanceOfDisk(disk.uuid)?.forthcoming) continue;
    names.add(`${disk.dev_type} ${disk.logical_id?.join(" ")}`);
  }
  for (const key of Object.keys(simulated.sharedState.disks)) {
    if (!names.has(key)) yield `${key} belongs to nobody`;
  }
}

/** A network's reserved addresses are exactly those of its NICs. */
function* addressFaults(now: Snapshot, network: NetworkObject): Iterable<string> {
  const { name, uuid, reservations } = network;
  const nics = now.instancesOfNetwork(uuid).flatMap(({ nics }) => nics);
  const owned = nics.flatMap((nic) => (nic.network === uuid && nic.ip !== undefined ? nic.ip : []));
  for (const ip of owned) {
    if (!isReserved(network, ip, "instances")) yield `network ${name}: ${ip} is not kept`;
  }
  const kept = [...reservations].filter((bit) => bit === "1").length;
  if (kept !== owned.length) yield `network ${name}: ${kept} addresses kept for ${owned.length}`;
}

/** Nodes with reservations must respect the ratios of their group. */
function* limitFaults(now: Snapshot, node: NodeObject, cpuCount: number): Iterable<string> {
  const policy = groupPolicy(now, now.expectGroup(node.group));
  const all = limitedOn(now, node.uuid, new Set());
  const reserved = reservedOn(now, node.uuid);
  const vcpusMax = policy["vcpu-ratio"] * cpuCount;
  if (reserved.vcpus > 0 && all.vcpus > vcpusMax) {
    yield `${node.name}: ${all.vcpus} vcpus, ${vcpusMax} allowed`;
  }
  const spindlesMax = policy["spindle-ratio"] * filledNdparams(now, node).spindle_count;
  if (reserved.spindleUse > 0 && all.spindleUse > spindlesMax) {
    yield `${node.name}: spindle use ${all.spindleUse}, ${spindlesMax} allowed`;
  }
}
