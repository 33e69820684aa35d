/** Requests to allocators; keys as on the wire. */
import { type Hypervisor, isMirrored } from "@ganeti-ts/protocol";
import { diskSpaceMib } from "./disk-space.js";
import type { DiskEntry, NicEntry } from "./entries.js";

/** An instance to place. Sizes in MiB. */
export interface WantedInstance {
  readonly name: string;
  readonly memoryMib: number;
  readonly vcpus: number;
  readonly spindleUse: number;
  readonly diskTemplate: string;
  readonly disks: readonly {
    readonly sizeMib: number;
    readonly mode?: string | undefined;
    readonly spindles?: number | null | undefined;
  }[];
  readonly nics: readonly Partial<NicEntry>[];
  readonly os: string;
  readonly hypervisor: Hypervisor | string;
  readonly tags: readonly string[];
}

/** The keys of a wanted instance in a request. */
export interface WantedEntry {
  readonly name: string;
  readonly disk_template: string;
  readonly tags: readonly string[];
  readonly os: string;
  readonly vcpus: number;
  readonly memory: number;
  readonly spindle_use: number;
  readonly disks: readonly DiskEntry[];
  readonly disk_space_total: number;
  readonly nics: readonly NicEntry[];
  readonly required_nodes: number;
  readonly hypervisor: string;
}

interface Where {
  /** Name or UUID. */
  readonly group_name: string | null;
  /** Names. */
  readonly "restrict-to-nodes"?: readonly string[];
}

/** The `request` of an allocator message. */
export type RequestEntry =
  | ({ readonly type: "allocate" } & WantedEntry & Where)
  | {
      readonly type: "multi-allocate";
      readonly instances: readonly WantedEntry[];
      /** Name or UUID; applies to all instances. */
      readonly group_name?: string;
    }
  | ({ readonly type: "capacity"; readonly max_count: number | null } & WantedEntry & Where)
  | { readonly type: "allocate-secondary"; readonly name: string }
  | {
      readonly type: "relocate";
      readonly name: string;
      readonly disk_space_total: number;
      readonly required_nodes: 1;
      readonly relocate_from: readonly string[];
    }
  | {
      readonly type: "node-evacuate";
      readonly instances: readonly string[];
      readonly evac_mode: "primary-only" | "secondary-only" | "all";
    }
  | {
      readonly type: "change-group";
      readonly instances: readonly string[];
      readonly target_groups: readonly string[];
    }
  | { readonly type: "balance"; readonly max_moves: number; readonly group_name: string | null };

/** Type of a request: `allocate`, `relocate`, … */
export type RequestType = RequestEntry["type"];

const requiredNodes = (diskTemplate: string): number => (isMirrored(diskTemplate) ? 2 : 1);

/** The entry of an instance that is to be placed, with its total disk space. */
export function wantedEntry(wanted: WantedInstance): WantedEntry {
  const disks = wanted.disks.map(
    ({ sizeMib, mode, spindles }): DiskEntry => ({
      type: wanted.diskTemplate,
      size: sizeMib,
      mode: mode ?? "rw",
      spindles: spindles ?? null,
    }),
  );
  return {
    name: wanted.name,
    disk_template: wanted.diskTemplate,
    tags: wanted.tags,
    os: wanted.os,
    vcpus: wanted.vcpus,
    memory: wanted.memoryMib,
    spindle_use: wanted.spindleUse,
    disks,
    disk_space_total: diskSpaceMib(disks),
    nics: wanted.nics.map(nicEntry),
    required_nodes: requiredNodes(wanted.diskTemplate),
    hypervisor: wanted.hypervisor,
  };
}

const nicEntry = (nic: Partial<NicEntry>): NicEntry => ({
  mac: nic.mac ?? null,
  ip: nic.ip ?? null,
  mode: nic.mode === "ext" ? null : (nic.mode ?? null),
  link: nic.link ?? null,
  bridge: nic.bridge ?? null,
  network: nic.network ?? null,
});
