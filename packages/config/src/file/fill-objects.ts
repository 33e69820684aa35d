/** Load-time fill of a cluster's objects: nodes, groups, networks, instances, disks. Idempotent. */

import type { Random } from "@ganeti-ts/protocol";
import { globalHvparams, globalNdparams } from "../filling.js";
import { ipv4Network } from "../ip-address.js";
import { randomUuid } from "../uuid.js";
import { keepEnabledTemplates, splitMemory } from "./fill-cluster.js";
import type { Raw } from "./raw.js";
import { dropNulls, dropRepetitions, fill, isRaw, rawIn, rawList, rawsIn } from "./raw.js";

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
