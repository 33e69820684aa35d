/** Physical volumes of nodes, and the repairs that a node with failing ones needs. */
import type { Json } from "@ganeti-ts/protocol";
import type { Opcode } from "../../jobs/job-runner.js";
import type { DiskCopy, InstanceStorage } from "./instance-storage.js";

export interface PhysicalVolume {
  readonly node: string;
  /** A path; anything else stands for a device that is missing. */
  readonly name: string;
  readonly freeMib: number;
  readonly isAllocatable: boolean;
}

/** A logical volume with the physical volume that it lies on. */
export interface VolumePlace {
  readonly node: string;
  readonly group: string;
  readonly name: string;
  readonly device: string;
}

/** Rows of OP_NODE_QUERY_STORAGE with the fields node, name, free and allocatable. */
export const physicalVolumesIn = (rows: readonly (readonly Json[])[]): readonly PhysicalVolume[] =>
  rows.map(([node, name, free, allocatable]) => ({
    node: String(node),
    name: String(name),
    freeMib: Number(free),
    isAllocatable: allocatable === true,
  }));

/** Rows of OP_NODE_QUERYVOLS with the fields node, vg, name and phys. */
export const volumePlacesIn = (rows: readonly (readonly Json[])[]): readonly VolumePlace[] =>
  rows.map(([node, group, name, device]) => ({
    ...{ node: String(node), group: String(group), name: String(name) },
    // Some versions add the first extent: `/dev/sda3(0)`.
    device: String(device).replace(/\(\d+\)$/, ""),
  }));

/** One step that keeps new disks off failing storage. */
export interface NodeRepair {
  readonly node: string;
  readonly kind: "close" | "repair-group";
  readonly opcode: Opcode;
  readonly why: string;
  /** Instances that have lost copies there: all of them must allow repairs. */
  readonly instances: readonly string[];
}

export interface StorageFindings {
  readonly instances: readonly InstanceStorage[];
  readonly physicalVolumes: readonly PhysicalVolume[];
  readonly places: readonly VolumePlace[];
}

export const lostCopies = (instances: readonly InstanceStorage[]) =>
  instances.flatMap(({ name, copies }) =>
    copies.filter(({ state }) => state === "lost").map((copy) => ({ ...copy, instance: name })),
  );

const isMissing = ({ name }: PhysicalVolume): boolean => !name.startsWith("/");

/**
 * Repairs of nodes, in order of their names. Physical volumes that carry lost copies are closed for new disks.
 * A group with a missing device is made consistent: until then LVM refuses every change of it.
 */
export function nodeRepairs(findings: StorageFindings): readonly NodeRepair[] {
  const { instances, physicalVolumes } = findings;
  const lost = lostCopies(instances);
  const nodes = [
    ...new Set([...physicalVolumes.filter(isMissing), ...lost].map(({ node }) => node)),
  ];
  return nodes.sort().flatMap((node) => {
    const here = lost.filter((copy) => copy.node === node);
    const names = [...new Set(here.map(({ instance }) => instance))];
    const closing = openCarriers(findings, node, here).map(
      (device): NodeRepair => ({
        ...{ node, kind: "close", instances: names },
        opcode: {
          OP_ID: "OP_NODE_MODIFY_STORAGE",
          ...{ node_name: node, storage_type: "lvm-pv", name: device },
          changes: { allocatable: false },
        },
        why: `${device} of ${node} carries lost copies of ${names.join(", ")}: it is closed for new disks`,
      }),
    );
    const missing = physicalVolumes.filter((one) => one.node === node && isMissing(one)).length;
    if (missing === 0) return closing;
    const count = missing === 1 ? "1 physical volume" : `${missing} physical volumes`;
    const repairs = groupsOn(instances, node).map(
      (group): NodeRepair => ({
        ...{ node, kind: "repair-group", instances: names },
        opcode: {
          OP_ID: "OP_REPAIR_NODE_STORAGE",
          ...{ node_name: node, storage_type: "lvm-vg", name: group, ignore_consistency: false },
        },
        why: `${node} misses ${count}: volume group ${group} is made consistent, without what is lost`,
      }),
    );
    return [...closing, ...repairs];
  });
}

/** Sound copies that share a device with lost ones are marked as failing. */
export function withFailing(findings: StorageFindings): StorageFindings {
  const lost = lostCopies(findings.instances);
  const failing = new Set<string>();
  for (const node of new Set(lost.map((copy) => copy.node))) {
    const devices = carriers(
      findings,
      node,
      lost.filter((copy) => copy.node === node),
    );
    for (const { group, name, ...place } of findings.places) {
      const isHere = place.node === node && devices.has(place.device);
      if (isHere) failing.add(`${node} ${group}/${name}`);
    }
  }
  const marked = (copy: DiskCopy): DiskCopy =>
    copy.state === "sound" &&
    copy.volumes.some(({ group, name }) => failing.has(`${copy.node} ${group}/${name}`))
      ? { ...copy, state: "failing" }
      : copy;
  const instances = findings.instances.map((one) => ({ ...one, copies: one.copies.map(marked) }));
  return { ...findings, instances };
}

/** Present physical volumes, still open, that carry the copies. */
function openCarriers(
  findings: StorageFindings,
  node: string,
  copies: readonly DiskCopy[],
): readonly string[] {
  const carrying = carriers(findings, node, copies);
  return findings.physicalVolumes
    .filter((one) => one.node === node && one.isAllocatable && carrying.has(one.name))
    .map(({ name }) => name);
}

/**
 * Paths of the devices that carry the data of the copies. The metadata of a mirror often lies on another device, and which
 * of the two gave the errors is not known: closing both would often leave nothing.
 */
function carriers(
  { places }: StorageFindings,
  node: string,
  copies: readonly DiskCopy[],
): ReadonlySet<string> {
  const volumes = new Set(
    copies.flatMap(({ volumes: [data] }) =>
      data === undefined ? [] : [`${data.group}/${data.name}`],
    ),
  );
  const devices = places
    .filter((place) => place.node === node && volumes.has(`${place.group}/${place.name}`))
    .map(({ device }) => device);
  return new Set(devices.filter((device) => device.startsWith("/")));
}

/** Volume groups of the disks on the node; of all disks, if it has none. */
function groupsOn(instances: readonly InstanceStorage[], node: string): readonly string[] {
  const copies = instances.flatMap((one) => one.copies);
  const here = copies.filter((copy) => copy.node === node);
  const groups = (here.length > 0 ? here : copies).flatMap(({ volumes }) =>
    volumes.map(({ group }) => group),
  );
  return [...new Set(groups)].sort();
}

/** Free space (MiB) for new copies, by node: that of physical volumes that are open and stay open. */
export function roomAfter(
  { physicalVolumes }: StorageFindings,
  repairs: readonly NodeRepair[],
): Map<string, number> {
  const closed = new Set(
    repairs.flatMap(({ kind, node, opcode }) =>
      kind === "close" ? [`${node} ${opcode.name}`] : [],
    ),
  );
  const room = new Map<string, number>();
  for (const volume of physicalVolumes) {
    const { node, name, freeMib, isAllocatable } = volume;
    if (!isAllocatable || isMissing(volume) || closed.has(`${node} ${name}`)) continue;
    room.set(node, (room.get(node) ?? 0) + freeMib);
  }
  return room;
}
