/** Instances in a message: made once for as long as nothing that they are made of changes. */
import { diskTemplate, filledBeparams, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import type {
  Beparams,
  ClusterObject,
  DiskObject,
  InstanceObject,
  InstanceUuid,
  NodeUuid,
} from "@ganeti-ts/protocol";
import { diskSpaceMib } from "./disk-space.js";
import type { DiskEntry, InstanceEntry, NicEntry } from "./entries.js";

/** Instances of one node as far as its memory is concerned, in MiB. */
interface PrimaryMemory {
  readonly name: string;
  readonly memoryMib: number;
  /** Is meant to run: what it may have and does not have yet is not free. */
  readonly up: boolean;
}

export interface InstanceEntries {
  readonly entries: readonly (readonly [name: string, entry: InstanceEntry])[];
  readonly primaryMemory: ReadonlyMap<NodeUuid, readonly PrimaryMemory[]>;
}

/**
 * All instances that are on nodes, reservations and what running creations hold among them; who has no
 * name goes by UUID. Reservations without a node are left out: an allocator takes none without nodes.
 *
 * @param without what a creation holds itself already
 */
export function instanceEntries(
  now: Snapshot,
  without: ReadonlySet<InstanceUuid> = new Set(),
): InstanceEntries {
  const entries: (readonly [string, InstanceEntry])[] = [];
  const primaryMemory = new Map<NodeUuid, PrimaryMemory[]>();
  for (const instance of now.instances()) {
    const { primary_node, uuid, forthcoming } = instance;
    if (primary_node === undefined || without.has(uuid)) continue;
    const name = instance.name ?? uuid;
    const entry = entryOf(now, instance);
    entries.push([name, entry]);
    const memory = {
      name,
      memoryMib: entry.memory,
      up: entry.admin_state === "up" && forthcoming !== true,
    };
    const there = primaryMemory.get(primary_node);
    if (there === undefined) primaryMemory.set(primary_node, [memory]);
    else there.push(memory);
  }
  return { entries, primaryMemory };
}

/** What an entry was made of, besides the instance itself. */
interface Made {
  readonly disks: readonly DiskObject[];
  readonly beparams: Beparams;
  readonly nicparams: ClusterObject["nicparams"];
  readonly entry: InstanceEntry;
}

const made = new WeakMap<InstanceObject, Made>();

function entryOf(now: Snapshot, instance: InstanceObject): InstanceEntry {
  const known = made.get(instance);
  const disks = now.disksOf(instance);
  const { nicparams } = now.cluster;
  const { default: beparams } = now.cluster.beparams;
  if (
    known !== undefined &&
    known.beparams === beparams &&
    known.nicparams === nicparams &&
    known.disks.length === disks.length &&
    known.disks.every((disk, index) => disk === disks[index])
  ) {
    return known.entry;
  }
  const entry = newEntry(now, instance, disks);
  made.set(instance, { disks, beparams, nicparams, entry });
  return entry;
}

function newEntry(
  now: Snapshot,
  instance: InstanceObject,
  disks: readonly DiskObject[],
): InstanceEntry {
  const { maxmem, vcpus, spindle_use } = filledBeparams(now, instance);
  const { admin_state = "down", primary_node, disks_active } = instance;
  const diskEntries = disks.map(diskEntry);
  return {
    tags: instance.tags,
    admin_state,
    should_run: admin_state === "up",
    vcpus,
    memory: maxmem,
    spindle_use,
    os: instance.os ?? "",
    nodes: [primary_node as NodeUuid, ...secondaryNodes(now, instance)].flatMap(
      (uuid) => now.node(uuid)?.name ?? [],
    ),
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

/** hail knows neither the mode `ext` nor disks of several types: such a message it refuses as a whole. */
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
  const template = diskTemplate(now, instance);
  if (template !== undefined && template !== "mixed") return template;
  const types = disks.map(({ dev_type }) => dev_type);
  return types.includes("drbd") ? "drbd" : "plain";
}
