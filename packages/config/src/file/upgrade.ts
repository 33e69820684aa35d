/** Upgrade of a file from an older version of Ganeti. */
import { isUuid, type Random } from "@ganeti-ts/protocol";
import { wrongInput } from "../config-error.js";
import { defaultDataCollectors, defaultPolicy } from "../defaults.js";
import { randomUuid } from "../generated.js";
import { fill, isRaw, type Raw, rawIn, rawList, rawsIn } from "./raw.js";

/** Steps have no effect on files that already include them. `now` is in seconds. */
export function upgrade(file: Raw, random: Random, now: number): void {
  giveUuids(file, random);
  addGroup(file, random, now);
  for (const key of ["networks", "filters"]) rawIn(file, key);
  namesToUuids(file);
  upgradePolicies(file);
  upgradeNics(file);
  upgradeDisks(file, random);
  const cluster = rawIn(file, "cluster");
  upgradeHypervisors(cluster);
  fill(rawIn(cluster, "data_collectors"), defaultDataCollectors);
  // The defaults of before 2.16, the first version with these keys.
  cluster.ssh_key_type ??= "dsa";
  cluster.ssh_key_bits ??= 1024;
}

function giveUuids(file: Raw, random: Random): void {
  for (const kind of ["nodes", "instances", "nodegroups", "networks"]) {
    for (const [key, object] of Object.entries(rawIn(file, kind))) {
      if (!isRaw(object)) wrongInput(`'${key}' in '${kind}' is not a dictionary`);
      object.name ??= key;
      // Nodes name their group by the key of the map.
      object.uuid ??= isUuid(key) ? key : randomUuid(random);
    }
  }
}

/** Adds a group to files from before node groups. */
function addGroup(file: Raw, random: Random, mtime: number): void {
  const groups = rawIn(file, "nodegroups");
  if (Object.keys(groups).length === 0) {
    const uuid = randomUuid(random);
    groups[uuid] = { uuid, name: "default", serial_no: 1, mtime };
    const cluster = rawIn(file, "cluster");
    if (typeof cluster.serial_no === "number") cluster.serial_no += 1;
  }
  const [first] = rawsIn(file, "nodegroups");
  for (const node of rawsIn(file, "nodes")) node.group ??= first?.uuid;
}

/** Replaces names of nodes and instances by UUIDs, also as keys of maps. */
function namesToUuids(file: Raw): void {
  const uuids = new Map(rawsIn(file, "nodes").map(({ name, uuid }) => [name, uuid]));
  const known = (node: unknown) => uuids.get(node) ?? node;
  for (const kind of ["nodes", "instances", "nodegroups", "networks"]) {
    file[kind] = Object.fromEntries(rawsIn(file, kind).map((one) => [one.uuid, one]));
  }
  const cluster = rawIn(file, "cluster");
  cluster.master_node = known(cluster.master_node);
  const renameIn = (disk: Raw) => {
    const id = disk.logical_id;
    if ((disk.dev_type === "drbd" || disk.dev_type === "drbd8") && Array.isArray(id)) {
      disk.logical_id = [known(id[0]), known(id[1]), ...id.slice(2)];
    }
    for (const child of rawList(disk, "children")) renameIn(child);
  };
  for (const instance of rawsIn(file, "instances")) {
    instance.primary_node = known(instance.primary_node);
    for (const disk of rawList(instance, "disks")) renameIn(disk);
  }
  for (const disk of rawsIn(file, "disks")) renameIn(disk);
}

/** Converts one pair of bounds with optional parts to a list of complete ones. */
function upgradePolicies(file: Raw): void {
  const cluster = rawIn(file, "cluster");
  const defaults = defaultPolicy([]).minmax[0] as unknown as Readonly<Record<string, Raw>>;
  if (isRaw(cluster.ipolicy)) upgradePolicy(cluster.ipolicy, defaults);
  const [own] = isRaw(cluster.ipolicy) ? rawList(cluster.ipolicy, "minmax") : [];
  for (const group of rawsIn(file, "nodegroups")) {
    upgradePolicy(rawIn(group, "ipolicy"), (own ?? defaults) as Readonly<Record<string, Raw>>);
  }
}

function upgradePolicy(policy: Raw, defaults: Readonly<Record<string, Raw>>): void {
  const interval: Raw = {};
  for (const bound of ["min", "max"]) {
    const said = policy[bound];
    delete policy[bound];
    if (said != null && !isRaw(said)) {
      wrongInput(`'${bound}' of an instance policy is not a dictionary`);
    }
    if (isRaw(said) && Object.keys(said).length > 0) interval[bound] = said;
  }
  if (Object.keys(interval).length > 0) policy.minmax = [interval];
  const [first] = rawList(policy, "minmax");
  if (first === undefined) return;
  for (const bound of ["min", "max"]) fill(rawIn(first, bound), defaults[bound] ?? {});
}

function upgradeNics(file: Raw): void {
  const uuids = new Map(rawsIn(file, "networks").map(({ name, uuid }) => [name, uuid]));
  for (const instance of rawsIn(file, "instances")) {
    for (const nic of rawList(instance, "nics")) {
      if (nic.network != null) nic.network = uuids.get(nic.network) ?? nic.network;
      // Version 2.0 had bridged NICs only.
      if (nic.bridge != null) nic.nicparams ??= { mode: "bridged", link: nic.bridge };
      delete nic.bridge;
    }
  }
}

function upgradeHypervisors(cluster: Raw): void {
  const hvparams = rawIn(cluster, "hvparams");
  for (const parameters of rawsIn(cluster, "hvparams")) delete parameters.xen_cmd;
  const kvm = hvparams.kvm;
  if (isRaw(kvm) && kvm.disk_discard === "default") kvm.disk_discard = "ignore";
}

/** Upgrade of disks, which were parts of their instances, with other names. */
const newTypes: Readonly<Record<string, string>> = { lvm: "plain", drbd8: "drbd" };

/** Nodes must already be identified by UUID. */
function upgradeDisks(file: Raw, random: Random): void {
  const disks = rawIn(file, "disks");
  for (const instance of rawsIn(file, "instances")) {
    const inside = rawList(instance, "disks");
    checkDisks(instance, inside.length);
    for (const [at, disk] of inside.entries()) {
      modernize(disk, random);
      disk.iv_name = `disk/${at}`;
      disk.serial_no = 1;
      disk.ctime = instance.ctime ?? 0;
      disk.mtime = disk.ctime;
      disks[String(disk.uuid)] = disk;
    }
    if (inside.length > 0) instance.disks = inside.map(({ uuid }) => uuid);
    // Reservations may have one that no disk tells yet.
    if (instance.forthcoming !== true) delete instance.disk_template;
    placeDisks(instance, disks);
  }
  for (const disk of rawsIn(file, "disks")) modernize(disk, random);
}

/** A disk in another form would be lost. */
function checkDisks({ name, disks }: Raw, insideCount: number): void {
  if (!Array.isArray(disks)) wrongInput(`Instance '${name}' doesn't have a disks entry?!`);
  const isMixed = insideCount > 0 && insideCount < disks.length;
  if (isMixed || (insideCount === 0 && disks.some((one) => typeof one !== "string"))) {
    wrongInput(`Instance '${name}' has a disk that is not a dictionary`);
  }
}

function modernize(disk: Raw, random: Random): void {
  delete disk.physical_id;
  disk.uuid ??= randomUuid(random);
  disk.dev_type = newTypes[String(disk.dev_type)] ?? disk.dev_type;
  for (const child of rawList(disk, "children")) modernize(child, random);
}

/** Adds the nodes of disks, which old versions did not store. */
function placeDisks(instance: Raw, all: Raw): void {
  const uuids = Array.isArray(instance.disks) ? instance.disks : [];
  const disks = uuids.map((uuid) => all[String(uuid)]).filter(isRaw);
  const mirrored = disks.flatMap(({ dev_type, logical_id }) =>
    dev_type === "drbd" && Array.isArray(logical_id) ? logical_id.slice(0, 2) : [],
  );
  const local = [...new Set([...mirrored, instance.primary_node])];
  for (const disk of disks) {
    if (disk.nodes !== undefined) continue;
    const isLocal = ["drbd", "plain", "file"].includes(String(disk.dev_type));
    disk.nodes = isLocal ? local : [];
    for (const child of rawList(disk, "children")) child.nodes = disk.nodes;
  }
}
