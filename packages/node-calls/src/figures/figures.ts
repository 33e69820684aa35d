import * as z from "zod";
import { list, object } from "../call.js";

/** Storage whose space is requested: `lvm-vg` and a volume group, `file` and a directory, … */
export const StorageKey = object({
  type: z.string(),
  key: z.string(),
  /**
   * For volume groups: with exclusive storage only empty physical volumes count as free, and `lvm-pv`
   * counts them. Default false.
   */
  exclusive: z.boolean().optional(),
});
export type StorageKey = z.infer<typeof StorageKey>;

/** Schema of the space of one storage unit. */
export const StorageSpace = object({
  type: z.string(),
  name: z.string(),
  /**
   * MiB; of `lvm-pv` the number of physical volumes, 0 unless storage is exclusive. Null if the node
   * cannot tell, for instance without that group.
   */
  size: z.number().nullable(),
  free: z.number().nullable(),
});
export type StorageSpace = z.infer<typeof StorageSpace>;

/** Memory in MiB; the node's own system counts as `memoryNodeMib` and `cpuNode`. */
export const HypervisorFigures = object({
  memoryTotalMib: z.number(),
  memoryFreeMib: z.number(),
  memoryNodeMib: z.number(),
  cpuTotal: z.int(),
  cpuNode: z.int(),
  /** NUMA nodes. */
  cpuNodes: z.int(),
  cpuSockets: z.int(),
  /** Memory of xen itself. */
  memoryHypervisorMib: z.number().optional(),
  /** For kvm: major, minor, revision; for xen: one number of major and minor. */
  hypervisorVersion: z.union([list(z.int()), z.string(), z.number()]).optional(),
});
export type HypervisorFigures = z.infer<typeof HypervisorFigures>;

/** Schema of a node's figures: storage and hypervisors. */
export const NodeInformation = object({
  /** Changes with every boot. */
  bootId: z.string(),
  /** In the order of the request; null if none was requested. */
  storage: list(StorageSpace).nullable(),
  hypervisors: list(HypervisorFigures).nullable(),
});
export type NodeInformation = z.infer<typeof NodeInformation>;

/** Schema of a logical volume of a node. */
export const LogicalVolume = object({
  name: z.string(),
  volumeGroup: z.string(),
  sizeMib: z.number(),
  /** All its physical volumes are there. */
  active: z.boolean(),
  /** Some process has it open. */
  open: z.boolean(),
});
export type LogicalVolume = z.infer<typeof LogicalVolume>;

/** A logical volume and one of the physical volumes under it. */
export const NodeVolume = object({
  name: z.string(),
  volumeGroup: z.string(),
  sizeMib: z.number(),
  /** `/dev/sda3`. */
  physicalVolume: z.string(),
});
export type NodeVolume = z.infer<typeof NodeVolume>;
