/** Traits of disk templates: where their disks are, and what these can do. */
import type { DiskTemplate } from "./cluster-data.js";
import type { StorageType } from "./opcodes/choices.js";

/** Type of a disk: a template that has disks. */
export type DiskType = Exclude<DiskTemplate, "diskless">;

/**
 * What disks of a template can do:
 *
 * | ability | meaning |
 * |---|---|
 * | `access` | QEMU may open them itself: they have the parameter `access` |
 * | `convert` | instances can be converted from and to the template |
 * | `grow` | their size can be increased |
 * | `snapshot` | they can be exported from a snapshot while the instance runs |
 * | `spindles` | they can have physical volumes of their own, on nodes with exclusive storage |
 */
type DiskAbility = "access" | "convert" | "grow" | "snapshot" | "spindles";

/** Properties of a disk template. */
export interface DiskTraits {
  /** Internal: a copy on a secondary node. External: every node can reach the disks, or there are none. */
  readonly mirroring: "none" | "internal" | "external";
  /** Type of the storage that contains the disks. */
  readonly storage: Exclude<StorageType, "lvm-pv">;
  /** Parameter of the cluster with the directory for disks that are files. */
  readonly directory?: "file_storage_dir" | "shared_file_storage_dir" | "gluster_storage_dir";
  /** Whether disks are devices that are mapped on a node, and stay so after the instance has left it. */
  readonly mapped?: true;
  /** Whether new instances may take over existing disks, or must. */
  readonly adoption?: "possible" | "required";
  readonly can: readonly DiskAbility[];
}

/** The traits of each template. Source: Ganeti, the sets `DTS_*` of its constants. */
export const diskTraits: Readonly<Record<DiskTemplate, DiskTraits>> = {
  diskless: { mirroring: "external", storage: "diskless", can: [] },
  file: {
    mirroring: "none",
    storage: "file",
    directory: "file_storage_dir",
    can: ["convert", "grow"],
  },
  sharedfile: {
    mirroring: "external",
    storage: "sharedfile",
    directory: "shared_file_storage_dir",
    can: ["convert", "grow"],
  },
  plain: {
    mirroring: "none",
    storage: "lvm-vg",
    adoption: "possible",
    can: ["convert", "grow", "snapshot", "spindles"],
  },
  blockdev: { mirroring: "external", storage: "blockdev", adoption: "required", can: [] },
  drbd: { mirroring: "internal", storage: "lvm-vg", can: ["convert", "grow", "snapshot"] },
  rbd: {
    mirroring: "external",
    storage: "rados",
    mapped: true,
    can: ["access", "convert", "grow"],
  },
  ext: {
    mirroring: "external",
    storage: "ext",
    mapped: true,
    can: ["access", "convert", "grow", "snapshot"],
  },
  gluster: {
    mirroring: "external",
    storage: "gluster",
    directory: "gluster_storage_dir",
    can: ["access", "convert", "grow"],
  },
};

/** A disk template, or anything else that stands in its place: `mixed`, or a name from outside. */
type Name = string | null | undefined;

const traitsOf = (template: Name): DiskTraits | undefined =>
  Object.hasOwn(diskTraits, template ?? "") ? diskTraits[template as DiskTemplate] : undefined;

/** Whether the template has that ability; false for a name that is no template, as in all of these. */
export const diskCan = (template: Name, ability: DiskAbility): boolean =>
  traitsOf(template)?.can.includes(ability) ?? false;

/** Whether the disks are on a primary and a secondary node. */
export const isMirrored = (template: Name): boolean => traitsOf(template)?.mirroring === "internal";

/** Whether the disks are on a single node. */
export const isUnmirrored = (template: Name): boolean => traitsOf(template)?.mirroring === "none";

/** Whether every node can reach the disks, which belong to none; false for `diskless`. */
export const isShared = (template: Name): boolean =>
  template !== "diskless" && traitsOf(template)?.mirroring === "external";

/** Whether the disks are logical volumes. */
export const usesLvm = (template: Name): boolean => traitsOf(template)?.storage === "lvm-vg";

/** Whether the disks are files in a directory of the cluster. */
export const isFileBased = (template: Name): boolean => traitsOf(template)?.directory !== undefined;

/** Whether the disks use space of the nodes' own storage. */
export const usesNodeSpace = (template: Name): boolean =>
  usesLvm(template) || traitsOf(template)?.storage === "file";

/** Whether new instances may take over existing disks, or must. */
export const adoptionOf = (template: Name): DiskTraits["adoption"] => traitsOf(template)?.adoption;

/** Metadata of each mirrored disk, on both nodes. Ganeti's `DRBD_META_SIZE`. */
export const drbdMetadataMib = 128;

/** Space of a disk on each of its nodes, in MiB; adopted devices use none. Source: Ganeti, `ComputeDiskSize`. */
export function diskUsageMib(type: Name, sizeMib: number): number {
  if (adoptionOf(type) === "required") return 0;
  return type === "drbd" ? sizeMib + drbdMetadataMib : sizeMib;
}

/** Maximum number of disks of an instance. */
export const instanceDisksMax = 16;
/** Maximum number of NICs of an instance. */
export const instanceNicsMax = 8;
