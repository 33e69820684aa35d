/** Instance entries of messages. */
import { diskTemplate, fileStorage, filledBeparams, type Snapshot } from "@ganeti-ts/config";
import {
  type Claim,
  type ClaimedSpace,
  type DiskObject,
  type DiskUuid,
  type ForthcomingDisk,
  type ForthcomingInstance,
  type InstanceObject,
  type InstanceUuid,
  isMirrored,
  type NodeUuid,
} from "@ganeti-ts/protocol";
import { diskSpaceMib } from "./disk-space.js";
import type { DiskEntry, InstanceEntry, NicEntry } from "./entries.js";

/** The part of an instance that matters for its node's memory, in MiB. */
export interface PrimaryMemory {
  readonly name: string;
  readonly memoryMib: number;
  /** Whether the instance should run: then memory that it does not use yet is not free either. */
  readonly up: boolean;
}

/** Entry of an instance, or of claimed capacity, with its primary node. */
export interface PlacedEntry {
  readonly uuid: InstanceUuid;
  readonly primary: NodeUuid;
  readonly named: readonly [name: string, entry: InstanceEntry];
  readonly memory: PrimaryMemory;
}

/**
 * All instances placed on nodes, including forthcoming ones, and the capacity that jobs claim; an instance without a
 * name is listed by UUID. Forthcoming instances without a node are omitted, because allocators do not accept them. In
 * the order of UUIDs. O(instances + disks).
 */
export function placedEntries(now: Snapshot): PlacedEntry[] {
  const instances = [...now.instances()].flatMap((one) => placedEntry(now, one) ?? []);
  const claims = [...now.claims()].flatMap((claim) => claimedEntries(now, claim));
  if (claims.length === 0) return instances;
  return [...instances, ...claims].sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
}

/** Entries of the capacity that a claim takes. */
export function claimedEntries(now: Snapshot, claim: Claim): readonly PlacedEntry[] {
  switch (claim.kind) {
    case "creation":
      return [placedEntry(now, claim.instance, claim.disks) ?? []].flat();
    case "commit":
      return claim.spaces.flatMap((space, at) => spaceEntry(now, `${claim.uuid}.${at}`, space));
    case "space":
      return [spaceEntry(now, claim.uuid, claim, claim.disks)].flat();
    case "removal":
    case "export":
    case "recreation":
      return [];
  }
}

/** Claimed space as the entry of an instance, because allocators know no other form. */
function spaceEntry(
  now: Snapshot,
  uuid: string,
  { node, memoryMib, vcpus, spindleUse, diskMib, diskSpindles }: ClaimedSpace,
  devices: readonly ForthcomingDisk[] = [],
): PlacedEntry | [] {
  const instance: ForthcomingInstance = {
    ...{ uuid: uuid as InstanceUuid, forthcoming: true, primary_node: node },
    beparams: { maxmem: memoryMib, minmem: memoryMib, vcpus, spindle_use: spindleUse },
    ...{ disks: [], nics: [], tags: [] },
  };
  const unnamed = Object.entries(diskMib).map(([group, size]): ForthcomingDisk => {
    const dev_type = group === fileStorage ? "file" : "plain";
    return { uuid: "" as DiskUuid, forthcoming: true, dev_type, size, nodes: [node], children: [] };
  });
  const [first, ...rest] = [...devices, ...unnamed];
  const disks = first === undefined ? [] : [withSpindles(first, diskSpindles), ...rest];
  return placedEntry(now, instance, disks) ?? [];
}

const withSpindles = (disk: ForthcomingDisk, spindles: number): ForthcomingDisk =>
  spindles === 0 ? disk : { ...disk, spindles };

/** Undefined for an instance that is not listed. `disks`: its disks, if they are not in the configuration. */
export function placedEntry(
  now: Snapshot,
  instance: InstanceObject,
  disks: readonly DiskObject[] = now.disksOf(instance),
): PlacedEntry | undefined {
  const { uuid, primary_node: primary } = instance;
  if (primary === undefined) return undefined;
  const name = instance.name ?? uuid;
  const entry = newEntry(now, instance, disks);
  const up = entry.admin_state === "up" && instance.forthcoming !== true;
  return { uuid, primary, named: [name, entry], memory: { name, memoryMib: entry.memory, up } };
}

function newEntry(
  now: Snapshot,
  instance: InstanceObject,
  disks: readonly DiskObject[],
): InstanceEntry {
  const { maxmem, vcpus, spindle_use } = filledBeparams(now, instance);
  const { admin_state = "down", primary_node, disks_active } = instance;
  const mirrors = disks.filter(({ dev_type }) => isMirrored(dev_type));
  const nodes = new Set([primary_node as NodeUuid, ...mirrors.flatMap((disk) => disk.nodes)]);
  const diskEntries = disks.map(diskEntry);
  return {
    tags: instance.tags,
    admin_state,
    should_run: admin_state === "up",
    vcpus,
    memory: maxmem,
    spindle_use,
    os: instance.os ?? "",
    nodes: [...nodes].flatMap((uuid) => now.node(uuid)?.name ?? []),
    nics: instance.nics.map((nic) => nicEntry(now, nic)),
    disks: diskEntries,
    disk_template: templateFor(now, instance, disks),
    disk_space_total: diskSpaceMib(diskEntries),
    disks_active: disks_active ?? admin_state === "up",
    hypervisor: instance.hypervisor ?? now.cluster.enabled_hypervisors[0] ?? "",
    ...(instance.forthcoming && { forthcoming: true }),
  };
}

const diskEntry = ({ dev_type, size, mode, spindles }: DiskObject): DiskEntry => ({
  type: dev_type ?? null,
  size: size ?? 0,
  mode: mode ?? "rw",
  spindles: spindles ?? null,
});

/** hail knows neither the mode `ext` nor disks of several types, and refuses the whole message. */
function nicEntry({ cluster }: Snapshot, nic: InstanceObject["nics"][number]): NicEntry {
  const { default: usual } = cluster.nicparams;
  const mode = nic.nicparams?.mode ?? usual.mode;
  const link = nic.nicparams?.link ?? usual.link;
  return {
    mac: nic.mac ?? null,
    ip: nic.ip ?? null,
    mode: mode === "ext" ? null : mode,
    link,
    bridge: mode === "bridged" ? link : null,
    network: nic.network ?? null,
  };
}

function templateFor(
  now: Snapshot,
  instance: InstanceObject,
  disks: readonly DiskObject[],
): string {
  const template = diskTemplate(now, instance, disks);
  if (template !== undefined && template !== "mixed") return template;
  const types = disks.map(({ dev_type }) => dev_type);
  return types.includes("drbd") ? "drbd" : "plain";
}
