import type { Json } from "@ganeti-ts/protocol";
import type { Fence } from "../fence.js";
import type { NodeAddress, NodeBackend } from "../node-backend.js";

/** Abilities that a back end may lack; laws that need a lacking one are shown as skipped. */
export const capabilities = [
  ...(["lvm", "drbd", "file storage", "instances", "migration", "hotplug"] as const),
  ...(["operating systems", "exports", "certificates", "uploads", "queue", "membership"] as const),
  ...(["master address", "ssh keys", "hooks", "commands", "power", "fence"] as const),
  /**
   * Volumes are block devices; calls marked `same` can be repeated, and creation accepts existing
   * devices.
   */
  ...(["block devices", "repetition"] as const),
  /** Volumes can be made read-only, and mirrors mind the state and the size of theirs. */
  "damaged volumes",
] as const;
/** Capability of a back end that some laws need. */
export type Capability = (typeof capabilities)[number];

/** Fresh nodes for one law, and what the law must know of them. */
export interface NodeStage {
  readonly nodes: NodeBackend;
  /** Absent only where the capability `fence` is lacking. */
  readonly fence?: Fence;
  /** Three nodes that were introduced and are reachable; nothing of a cluster is on them yet. */
  readonly members: readonly [NodeAddress, NodeAddress, NodeAddress];
  /** A volume group of each node with 4 GiB free. */
  readonly volumeGroup: string;
  /** Directory in which disks in files may be made. */
  readonly fileDirectory: string;
  readonly hypervisor: string;
  /** Its parameters; none by default. */
  readonly hvparams?: Readonly<Record<string, Json>>;
  /** With its variant. */
  readonly os: string;
  readonly bridge: string;
  /** A file that nodes accept as an upload. */
  readonly uploadPath: string;
  /** Path of an uploaded file for calls that look at it on the node; the same by default. */
  readonly pathOnNode?: (node: number, path: string) => string;
  /** Directory of exports. */
  readonly exportDirectory: string;
  /** A command that nodes run on request, and an allocator that they have. */
  readonly restrictedCommand: string;
  readonly allocator: string;
  readonly oobProgram: string;
  /** Makes a volume of the volume group read-only, or writable again. Absent only where `damaged volumes` is lacking. */
  setReadOnly?(node: number, name: string, readOnly: boolean): Promise<void>;
  /** Lets time pass, on a virtual clock or for real. */
  pass(milliseconds: number): Promise<void>;
  close?(): Promise<void>;
}
