/** Instance entries of messages. */
import { diskTemplate, filledBeparams, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import type { DiskObject, InstanceObject, InstanceUuid, NodeUuid } from "@ganeti-ts/protocol";
import { diskSpaceMib } from "./disk-space.js";
import type { DiskEntry, InstanceEntry, NicEntry } from "./entries.js";

/** The part of an instance that matters for its node's memory, in MiB. */
export interface PrimaryMemory {
  readonly name: string;
  readonly memoryMib: number;
  /** Whether it is to run: memory it may use but does not use yet is not free. */
  readonly up: boolean;
}

/** An instance's entry, with its primary node. */
export interface PlacedEntry {
  readonly uuid: InstanceUuid;
  readonly primary: NodeUuid;
  readonly named: readonly [name: string, entry: InstanceEntry];
  readonly memory: PrimaryMemory;
}

/**
 * All instances placed on nodes, including forthcoming ones and held entries of running creations; an instance
 * without a name is listed by UUID. Forthcoming instances without a node are omitted, because allocators do not
 * accept them. O(instances + disks).
 */
export const placedEntries = (now: Snapshot): PlacedEntry[] =>
  [...now.instances()].flatMap((instance) => placedEntry(now, instance) ?? []);

/** Undefined for an instance that is not listed. */
export function placedEntry(now: Snapshot, instance: InstanceObject): PlacedEntry | undefined {
  const { uuid, primary_node: primary } = instance;
  if (primary === undefined) return undefined;
  const name = instance.name ?? uuid;
  const entry = newEntry(now, instance, now.disksOf(instance));
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
  const template = diskTemplate(now, instance);
  if (template !== undefined && template !== "mixed") return template;
  const types = disks.map(({ dev_type }) => dev_type);
  return types.includes("drbd") ? "drbd" : "plain";
}
