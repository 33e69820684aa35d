/** Upgrade of a file from an older version of Ganeti. */

import { isUuid, type Random } from "@ganeti-ts/protocol";
import { ConfigError } from "../config-error.js";
import { defaultDataCollectors, defaultPolicy } from "../defaults.js";
import { randomUuid } from "../uuid.js";
import { fill, isRaw, type Raw, rawIn, rawList, rawsIn } from "./raw.js";
import { upgradeDisks } from "./upgrade-disks.js";

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
      if (!isRaw(object)) {
        throw new ConfigError("wrong_input", `'${key}' in '${kind}' is not a dictionary`);
      }
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
      throw new ConfigError("wrong_input", `'${bound}' of an instance policy is not a dictionary`);
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
