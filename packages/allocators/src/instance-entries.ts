/** Instance entries of messages, cached as long as the objects they depend on do not change. */
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

/** The part of an instance that matters for its node's memory, in MiB. */
interface PrimaryMemory {
  readonly name: string;
  readonly memoryMib: number;
  /** Whether it is to run: memory it may use but does not use yet is not free. */
  readonly up: boolean;
}

export interface InstanceEntries {
  readonly entries: readonly (readonly [name: string, entry: InstanceEntry])[];
  readonly primaryMemory: ReadonlyMap<NodeUuid, readonly PrimaryMemory[]>;
}

/** An instance's entry, with the objects it was made from other than the cluster's defaults. */
interface Made {
  readonly instance: InstanceObject;
  readonly primary: NodeUuid;
  readonly named: readonly [name: string, entry: InstanceEntry];
  readonly memory: PrimaryMemory;
}

/** Keeps the last snapshot, and updates entries that differ from it. */
export class InstanceEntryCache {
  #made: readonly Made[] = [];
  #disks: readonly DiskObject[] = [];
  #beparams: Beparams | undefined;
  #nicparams: ClusterObject["nicparams"] | undefined;

  /**
   * All instances placed on nodes, including forthcoming ones and held entries of running creations; an
   * instance without a name is listed by UUID. Forthcoming instances without a node are omitted, because
   * allocators do not accept them. O(instances + disks), mostly comparisons.
   *
   * @param without held entries of the calling creation
   */
  entriesOf(now: Snapshot, without: ReadonlySet<InstanceUuid> = new Set()): InstanceEntries {
    this.#update(now);
    const entries: Made["named"][] = [];
    const primaryMemory = new Map<NodeUuid, PrimaryMemory[]>();
    for (const { instance, primary, named, memory } of this.#made) {
      if (without.size > 0 && without.has(instance.uuid)) continue;
      entries.push(named);
      const there = primaryMemory.get(primary);
      if (there === undefined) primaryMemory.set(primary, [memory]);
      else there.push(memory);
    }
    return { entries, primaryMemory };
  }

  /** Snapshots list objects by UUID, so the old and the new list are merged. */
  #update(now: Snapshot): void {
    const { nicparams } = now.cluster;
    const { default: beparams } = now.cluster.beparams;
    const isSame = this.#beparams === beparams && this.#nicparams === nicparams;
    const disks = [...now.disks()];
    const changedDisks = changedUuids(this.#disks, disks);
    const old = isSame ? this.#made : [];
    const made: Made[] = [];
    let at = 0;
    for (const instance of now.instances()) {
      const primary = instance.primary_node;
      if (primary === undefined) continue;
      // (mostly the same object, which needs no comparison)
      if (old[at]?.instance !== instance) {
        while ((old[at]?.instance.uuid ?? "~") < instance.uuid) at++;
      }
      const known = old[at];
      const isKnown =
        known?.instance === instance &&
        (changedDisks.size === 0 || !instance.disks.some((disk) => changedDisks.has(disk)));
      if (isKnown) at++;
      made.push(isKnown ? known : makeOf(now, instance, primary));
    }
    this.#made = made;
    this.#disks = disks;
    this.#beparams = beparams;
    this.#nicparams = nicparams;
  }
}

/** UUIDs of added, removed or changed objects; both lists are sorted by UUID. */
function changedUuids(
  before: readonly DiskObject[],
  after: readonly DiskObject[],
): ReadonlySet<string> {
  const changed = new Set<string>();
  let at = 0;
  for (const disk of after) {
    if (before[at] === disk) {
      at++;
      continue;
    }
    for (; at < before.length && (before[at] as DiskObject).uuid < disk.uuid; at++) {
      changed.add((before[at] as DiskObject).uuid);
    }
    if (before[at] === disk) at++;
    else {
      changed.add(disk.uuid);
      if (before[at]?.uuid === disk.uuid) at++;
    }
  }
  for (; at < before.length; at++) changed.add((before[at] as DiskObject).uuid);
  return changed;
}

function makeOf(now: Snapshot, instance: InstanceObject, primary: NodeUuid): Made {
  const name = instance.name ?? instance.uuid;
  const entry = newEntry(now, instance, now.disksOf(instance));
  const up = entry.admin_state === "up" && instance.forthcoming !== true;
  return { instance, primary, named: [name, entry], memory: { name, memoryMib: entry.memory, up } };
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
