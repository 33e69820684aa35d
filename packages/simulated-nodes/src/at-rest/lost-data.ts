/** lostData, lostSystems, missingDevices: data of instances that are gone from the nodes. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { systemOf } from "../instance-operations.js";
import type { SimulatedNodes } from "../simulated-nodes.js";
import { storedDisk } from "./stored-disk.js";

/**
 * Disks of real instances that do not exist, of mirrors: whose volume with the data is on none of their nodes, as texts;
 * without those of the instances with these names. Detached files count as well.
 */
export function lostData(
  now: Snapshot,
  simulated: SimulatedNodes,
  except: ReadonlySet<string> = new Set(),
): readonly string[] {
  const faults: string[] = [];
  for (const disk of now.disks()) {
    if (disk.forthcoming || disk.dev_type !== "file" || now.instanceOfDisk(disk.uuid)) continue;
    if (disk.nodes.some((node) => storedDisk(simulated, node, disk as RealDisk))) continue;
    faults.push(`the detached file ${disk.logical_id?.[1]} is lost`);
  }
  for (const instance of now.instances()) {
    if (instance.forthcoming || except.has(instance.name)) continue;
    for (const [at, disk] of (now.disksOf(instance) as RealDisk[]).entries()) {
      const data = dataOf(disk);
      const nodes = disk.nodes.length > 0 ? disk.nodes : [instance.primary_node];
      if (nodes.some((node) => storedDisk(simulated, node, data) !== undefined)) continue;
      faults.push(`the data of disk ${at} of ${instance.name} are lost: ${data.logical_id[1]}`);
    }
  }
  return faults;
}

/** Devices of the instance's disk, of mirrors: their volumes, that one of its nodes does not have, as texts. */
export function missingDevices(
  now: Snapshot,
  simulated: SimulatedNodes,
  { primary_node }: RealInstance,
  disk: RealDisk,
): readonly string[] {
  const devices = disk.dev_type === "drbd" ? disk.children : [disk];
  const nodes = disk.nodes.length > 0 ? disk.nodes : [primary_node];
  return nodes.flatMap((node) =>
    devices
      .filter((device) => storedDisk(simulated, node, device as RealDisk) === undefined)
      .map(({ logical_id: id }) => `${id.join("/")} is not on ${now.node(node)?.name}`),
  );
}

/** The disk itself, or the volume with the data of a mirror. */
const dataOf = (disk: RealDisk): RealDisk =>
  (disk.dev_type === "drbd" ? disk.children[0] : disk) as RealDisk;

interface Installed {
  /** Names of instances that are left out. */
  readonly except?: ReadonlySet<string>;
  /** System that was installed; by default that of the instance's scripts. */
  readonly system?: (instance: RealInstance, first: RealDisk) => string;
}

/**
 * Good copies of first disks without the system that was installed on them, and disks without a good copy, as texts. Every
 * instance must have been installed.
 */
export function lostSystems(
  now: Snapshot,
  simulated: SimulatedNodes,
  { except = new Set(), system = ({ uuid }) => systemOf(uuid) }: Installed = {},
): readonly string[] {
  const faults: string[] = [];
  for (const instance of now.instances()) {
    if (instance.forthcoming || except.has(instance.name)) continue;
    const [disk] = now.disksOf(instance) as readonly RealDisk[];
    if (disk === undefined) continue;
    const wanted = system(instance, disk);
    const copies = goodCopies(simulated, instance, disk);
    if (copies.length === 0) faults.push(`no copy of disk 0 of ${instance.name} is good`);
    const isSplit = copies.length > 1 && copies.every(({ wasAlone }) => wasAlone);
    if (isSplit && copies.some(({ image }) => image === wanted)) continue;
    for (const { node, image } of copies) {
      if (image === wanted) continue;
      faults.push(`disk 0 of ${instance.name} on ${node} contains ${image ?? "nothing"}`);
    }
  }
  return faults;
}

interface Copy {
  readonly node: string;
  /** Whether it was written without its peer. */
  readonly wasAlone: boolean;
  readonly image: string | undefined;
}

/** Copies of the disk that may be read. A side whose peer has been written without it is left out. */
function goodCopies(
  simulated: SimulatedNodes,
  { primary_node: primary }: RealInstance,
  disk: RealDisk,
): readonly Copy[] {
  const isMirror = disk.dev_type === "drbd";
  const [nodeA, , , minorA, minorB, secret] = disk.logical_id;
  const sideOn = (node: NodeUuid) => {
    const side = simulated.stateOf(node)?.drbd[String(node === nodeA ? minorA : minorB)];
    return side !== undefined && side.secret === secret && side.data === "uptodate"
      ? side
      : undefined;
  };
  const wroteAlone = (node: NodeUuid) => (sideOn(node)?.aloneSince ?? null) !== null;
  const good = disk.nodes.filter((node) => sideOn(node) !== undefined);
  // After a split brain, which an administrator has accepted, each side lacks what the other one wrote.
  const ahead = good.filter(wroteAlone);
  const nodes = !isMirror ? [primary] : ahead.length === 1 ? ahead : good;
  return nodes.flatMap((node): readonly Copy[] => {
    const host = simulated.stateOf(node);
    const stored = storedDisk(simulated, node, dataOf(disk));
    if (host === undefined || stored === undefined) return [];
    return [{ node: host.name, wasAlone: isMirror && wroteAlone(node), image: stored.image }];
  });
}
