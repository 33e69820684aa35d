/** Load-time fill of a cluster's objects: keys unknown to older versions get their defaults. Idempotent. */
import { diskTemplates, hypervisors, type Random } from "@ganeti-ts/protocol";
import { wrongInput } from "../config-error.js";
import {
  clusterDefaults,
  defaultBeparams,
  defaultDiskparams,
  defaultHvparams,
  defaultNdparams,
  defaultNicparams,
  defaultPolicy,
} from "../defaults.js";
import { globalHvparams, globalNdparams } from "../filling.js";
import { randomUuid } from "../generated.js";
import { ipv4Network } from "../ip-address.js";
import type { Raw } from "./raw.js";
import { dropNulls, dropRepetitions, fill, isRaw, rawIn, rawList, rawsIn } from "./raw.js";

/** Load-time fill of the cluster object: keys unknown to older versions get their defaults. Idempotent. */
const policyKeys = ["minmax", "std", "disk-templates", "vcpu-ratio", "spindle-ratio"];

/** Requires disks at the top level. @throws ConfigError for unknown keys of a policy */
export function fillCluster(file: Raw, random: Random): void {
  const cluster = rawIn(file, "cluster");
  fillHypervisors(cluster);
  fillNics(cluster);
  const isIpv6 = cluster.primary_ip_family === 10;
  fill(cluster, { ...clusterDefaults, master_netmask: isIpv6 ? 128 : 32 });
  fill(cluster, { uuid: randomUuid(random), serial_no: 1 });
  const beparams = rawIn(rawIn(cluster, "beparams"), "default");
  splitMemory(beparams);
  fill(beparams, defaultBeparams);
  fill(rawIn(cluster, "ndparams"), defaultNdparams);
  const diskparams = rawIn(cluster, "diskparams");
  fill(diskparams, defaultDiskparams);
  const listed = cluster.enabled_disk_templates ?? [];
  const isUnsaid = Array.isArray(listed) && listed.length === 0;
  const enabled = isUnsaid ? templatesInUse(file, cluster) : listed;
  cluster.enabled_disk_templates = enabled;
  if (Array.isArray(enabled) && enabled.includes("drbd")) {
    fill(cluster, { drbd_usermode_helper: defaultDrbdHelper });
  }
  fillPolicy(cluster);
  for (const key of ["tcpudp_port_pool", "tags"]) dropRepetitions(cluster, key);
  for (const key of mapsByName) dropNulls(rawIn(cluster, key));
  dropNulls(cluster);
}

/** A name without parameters may have null. */
const mapsByName = [
  ...["osparams", "osparams_private_cluster", "os_hvp", "hv_state_static", "disk_state_static"],
];

const defaultDrbdHelper = "/bin/true";

function fillHypervisors(cluster: Raw): void {
  const first = cluster.default_hypervisor;
  delete cluster.default_hypervisor;
  if (first != null) {
    const enabled = Array.isArray(cluster.enabled_hypervisors) ? cluster.enabled_hypervisors : [];
    cluster.enabled_hypervisors = [first, ...enabled.filter((one) => one !== first)];
  }
  const hvparams = rawIn(cluster, "hvparams");
  for (const hypervisor of hypervisors) {
    fill(rawIn(hvparams, hypervisor), defaultHvparams[hypervisor]);
  }
}

function fillNics(cluster: Raw): void {
  const bridge = cluster.default_bridge;
  delete cluster.default_bridge;
  const nicparams = rawIn(rawIn(cluster, "nicparams"), "default");
  if (bridge != null) nicparams.link ??= bridge;
  fill(nicparams, defaultNicparams);
}

/** Splits the single value `memory` of older versions, which overrides both newer ones. */
function splitMemory(beparams: Raw): void {
  if (!("memory" in beparams)) return;
  Object.assign(beparams, { minmem: beparams.memory, maxmem: beparams.memory });
  delete beparams.memory;
}

/** Order in which inferred templates are written. */
const inferredOrder = [
  ...["blockdev", "diskless", "drbd", "ext", "file", "plain", "rbd", "sharedfile", "gluster"],
];

function templatesInUse(file: Raw, cluster: Raw): readonly string[] {
  const found = new Set(rawsIn(file, "disks").map(({ dev_type }) => String(dev_type)));
  if (cluster.volume_group_name != null) for (const one of ["drbd", "plain"]) found.add(one);
  const hasDiskless = rawsIn(file, "instances").some(
    ({ disks }) => !Array.isArray(disks) || disks.length === 0,
  );
  if (hasDiskless) found.add("diskless");
  return inferredOrder.filter((one) => found.has(one));
}

function fillPolicy(cluster: Raw): void {
  const policy = rawIn(cluster, "ipolicy");
  const spurious = Object.keys(policy).filter((key) => !policyKeys.includes(key));
  if (spurious.length > 0) {
    wrongInput(`Cluster instance policy contains spurious keys: ${spurious.join(", ")}`);
  }
  const defaults = defaultPolicy([...diskTemplates]);
  fill(policy, defaults);
  fill(rawIn(policy, "std"), defaults.std);
  for (const interval of rawList(policy, "minmax")) {
    for (const bound of ["min", "max"] as const) {
      fill(rawIn(interval, bound), defaults.minmax[0]?.[bound] ?? {});
    }
  }
  keepEnabledTemplates(policy, cluster);
}

/** Removes disabled templates from a policy. */
function keepEnabledTemplates(policy: Raw, cluster: Raw): void {
  const listed = policy["disk-templates"];
  const enabled = cluster.enabled_disk_templates;
  if (!Array.isArray(listed) || !Array.isArray(enabled)) return;
  policy["disk-templates"] = listed.filter((one) => enabled.includes(one));
}

/** The cluster must have been filled before. */
export function fillObjects(file: Raw, random: Random): void {
  const cluster = rawIn(file, "cluster");
  for (const node of rawsIn(file, "nodes")) fillNode(node);
  for (const group of rawsIn(file, "nodegroups")) fillGroup(group, cluster);
  for (const network of rawsIn(file, "networks")) fillNetwork(network);
  for (const [key, disk] of Object.entries(rawIn(file, "disks"))) {
    if (!isRaw(disk)) continue;
    disk.uuid ??= key;
    fillDisk(disk, random);
  }
  for (const instance of rawsIn(file, "instances")) fillInstance(instance, random);
}

function fillNode(node: Raw): void {
  fill(node, {
    secondary_ip: node.primary_ip,
    master_candidate: false,
    offline: false,
    drained: false,
    master_capable: true,
    vm_capable: true,
    powered: true,
    ndparams: {},
    tags: [],
  });
  const ndparams = rawIn(node, "ndparams");
  for (const key of globalNdparams) delete ndparams[key];
  dropNulls(ndparams);
  dropRepetitions(node, "tags");
  dropNulls(node);
}

function fillGroup(group: Raw, cluster: Raw): void {
  // Membership is stored in the nodes.
  delete group.members;
  fill(group, {
    alloc_policy: "preferred",
    ndparams: {},
    ipolicy: {},
    diskparams: {},
    networks: {},
    serial_no: 1,
    tags: [],
  });
  const nics = rawIn(rawIn(cluster, "nicparams"), "default");
  for (const connection of rawsIn(group, "networks")) fill(connection, nics);
  const policy = rawIn(group, "ipolicy");
  keepEnabledTemplates(policy, cluster);
  // Old versions stored it in every group, and opcodes that create groups may still contain it.
  delete policy.std;
  dropNulls(policy);
  dropNulls(rawIn(group, "ndparams"));
  dropRepetitions(group, "tags");
  dropNulls(group);
}

function fillNetwork(network: Raw): void {
  // Old versions stored them; nothing has ever used them.
  for (const key of ["family", "network_type"]) delete network[key];
  const size = ipv4Network(String(network.network))?.size ?? 0;
  const none = "0".repeat(size <= 2 ** 16 ? size : 0);
  fill(network, { reservations: none, ext_reservations: none, tags: [] });
  dropRepetitions(network, "tags");
  dropNulls(network);
}

function fillDisk(disk: Raw, random: Random): void {
  fill(disk, { nodes: [], children: [] });
  for (const one of [disk, ...rawList(disk, "children")]) {
    one.uuid ??= randomUuid(random);
    if (one.params != null && !isRaw(one.params)) one.params = {};
    fill(one, { nodes: disk.nodes, serial_no: 1 });
    dropNulls(one);
  }
}

function fillInstance(instance: Raw, random: Random): void {
  fill(instance, { nics: [], disks: [], tags: [] });
  for (const nic of rawList(instance, "nics")) {
    nic.uuid ??= randomUuid(random);
    if (instance.forthcoming !== true) fill(nic, { nicparams: {} });
    if (isRaw(nic.nicparams)) dropNulls(nic.nicparams);
    dropNulls(nic);
  }
  if (typeof instance.admin_up === "boolean")
    instance.admin_state ??= instance.admin_up ? "up" : "down";
  delete instance.admin_up;
  if (isRaw(instance.beparams)) {
    splitMemory(instance.beparams);
    dropNulls(instance.beparams);
  }
  dropRepetitions(instance, "tags");
  if (isRaw(instance.hvparams)) for (const key of globalHvparams) delete instance.hvparams[key];
  dropNulls(instance);
  if (instance.forthcoming === true) return;
  fill(instance, {
    hvparams: {},
    beparams: {},
    osparams: {},
    osparams_private: {},
    admin_state: "down",
    admin_state_source: "admin",
  });
  fill(instance, { disks_active: instance.admin_state === "up" });
}
