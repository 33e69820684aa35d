/** Cluster object as changed by an opcode. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import {
  defaultHvparams,
  instancesToCome,
  nicFault,
  nicparamsFault,
  type Snapshot,
  withoutUids,
  withUids,
} from "@ganeti-ts/config";
import {
  allocatorRequests,
  type Beparams,
  type ClusterObject,
  type Json,
  type JsonObject,
  type Ndparams,
  type Nicparams,
  type OpcodeOf,
  type Parameters,
  type UidPool,
} from "@ganeti-ts/protocol";
import {
  beparamTypes,
  hvparamTypes,
  typedParameters,
  withoutMemoryAlias,
} from "../instance/parameters/parameter-types.js";
import { readMacPrefix } from "../network/network-parameters.js";
import { configurationError, wrongInput, wrongState } from "../unit/refusals.js";
import { changedDiskparams, checkAccess, ndparamTypes } from "./parameters.js";
import { changedPolicy, checkTemplatesEnabled } from "./policy.js";
import { staticStates } from "./static-state.js";

type Op = OpcodeOf<"OP_CLUSTER_SET_PARAMS">;
type Sets = Readonly<Record<string, Parameters>>;

/**
 * `told` gets a line for each value that stays unchanged. @throws PrereqError, ConfigError,
 * OperationError
 */
export function changedCluster(op: Op, now: Snapshot, told: (line: string) => void): ClusterObject {
  let cluster: ClusterObject = { ...now.cluster, ...plainValues(op) };
  cluster = withStorage(op, cluster, told);
  cluster = withParameters(op, now, cluster);
  cluster = withHypervisors(op, now, cluster);
  if (op.ipolicy === undefined) {
    checkTemplatesEnabled({ cluster }, cluster.ipolicy as unknown as JsonObject);
  } else {
    const policy = changedPolicy(cluster.ipolicy as unknown as JsonObject, op.ipolicy, "cluster");
    checkTemplatesEnabled({ cluster }, policy);
    cluster = { ...cluster, ipolicy: policy as unknown as ClusterObject["ipolicy"] };
  }
  cluster = withLists(op, cluster, told);
  return { ...cluster, data_collectors: collectors(op, cluster), ...allocators(op, cluster) };
}

/** Values that are copied from the opcode unchanged. */
function plainValues(op: Op): Partial<ClusterObject> {
  const { enabled_disk_templates: templates } = op;
  if (op.master_netmask !== undefined && op.master_netmask > 128) {
    wrongInput(`CIDR netmask (${op.master_netmask}) not valid`);
  }
  return given({
    candidate_pool_size: op.candidate_pool_size,
    max_running_jobs: op.max_running_jobs,
    max_tracked_jobs: op.max_tracked_jobs,
    maintain_node_health: op.maintain_node_health,
    prealloc_wipe_disks: op.prealloc_wipe_disks,
    modify_etc_hosts: op.modify_etc_hosts,
    reserved_lvs: op.reserved_lvs,
    use_external_mip_script: op.use_external_mip_script,
    enabled_user_shutdown: op.enabled_user_shutdown,
    compression_tools: op.compression_tools,
    zeroing_image: op.zeroing_image,
    install_image: op.install_image,
    instance_communication_network: op.instance_communication_network,
    gluster_storage_dir: op.gluster_storage_dir,
    default_iallocator_params: op.default_iallocator_params as Parameters | undefined,
    master_netdev: op.master_netdev || undefined,
    master_netmask: op.master_netmask || undefined,
    mac_prefix: op.mac_prefix === undefined ? undefined : readMacPrefix(op.mac_prefix),
    enabled_disk_templates: templates?.length ? templates : undefined,
  });
}

/** Leaves out the values that were not given. */
const given = (values: { [K in keyof ClusterObject]?: ClusterObject[K] | undefined }) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<ClusterObject>;

/** Storage settings of disks; an empty name removes one. */
function withStorage(op: Op, before: ClusterObject, told: (line: string) => void): ClusterObject {
  let cluster = before;
  const { vg_name, drbd_helper, file_storage_dir, shared_file_storage_dir } = op;
  if (vg_name !== undefined) {
    if ((vg_name || undefined) === before.volume_group_name) {
      told("Cluster LVM configuration already in desired state, not changing");
    } else {
      cluster = { ...cluster, volume_group_name: vg_name || undefined };
    }
  }
  if (file_storage_dir !== undefined) {
    if (file_storage_dir === before.file_storage_dir) {
      told(`Global file storage dir already set to value '${file_storage_dir}'`);
    }
    cluster = { ...cluster, file_storage_dir };
  }
  if (shared_file_storage_dir !== undefined) {
    if (shared_file_storage_dir === before.shared_file_storage_dir) {
      told(`Global shared file storage dir already set to value '${shared_file_storage_dir}'`);
    }
    cluster = { ...cluster, shared_file_storage_dir };
  }
  if (drbd_helper === undefined) return cluster;
  if (!cluster.enabled_disk_templates.includes("drbd")) {
    told("Note that you specified a drbd user helper, but did not enable the drbd disk template.");
  }
  if ((drbd_helper || undefined) === before.drbd_usermode_helper) {
    told("Cluster DRBD helper already in desired state, not changing");
    return cluster;
  }
  return { ...cluster, drbd_usermode_helper: drbd_helper || undefined };
}

/** Parameters of backends, nodes, NICs and disks, and static states, which are only recorded. */
function withParameters(op: Op, now: Snapshot, before: ClusterObject): ClusterObject {
  let cluster = before;
  if (op.beparams !== undefined) {
    const beparams = typedParameters(withoutMemoryAlias(op.beparams), beparamTypes);
    const filled = { ...cluster.beparams.default, ...beparams } as Beparams;
    if (filled.minmem > filled.maxmem) {
      wrongInput(`minmem (${filled.minmem}) must not be larger than maxmem (${filled.maxmem})`);
    }
    cluster = { ...cluster, beparams: { default: filled } };
  }
  if (op.ndparams !== undefined) {
    const ndparams = { ...cluster.ndparams, ...typedParameters(op.ndparams, ndparamTypes) };
    cluster = { ...cluster, ndparams: ndparams as Ndparams };
  }
  if (op.nicparams !== undefined) {
    cluster = { ...cluster, nicparams: { default: changedNicparams(op, now) } };
  }
  if (op.diskparams !== undefined) {
    const diskparams = changedDiskparams(cluster.diskparams, op.diskparams as JsonObject);
    checkAccess(now, diskparams, now.instances());
    cluster = { ...cluster, diskparams };
  }
  return { ...cluster, ...staticStates(op, cluster) };
}

/** NIC parameters, checked against every existing NIC. @throws PrereqError, OperationError */
function changedNicparams(op: Op, now: Snapshot): Nicparams {
  const types = { mode: "string", link: "string", vlan: "string" } as const;
  const typed = typedParameters(op.nicparams as JsonObject, types);
  const filled = { ...now.cluster.nicparams.default, ...typed } as Nicparams;
  const fault = nicparamsFault(filled);
  if (fault !== undefined) throw configurationError(fault);
  const faults = Array.from(now.instances()).flatMap((instance) =>
    instance.nics.flatMap((nic, at) => {
      const own = { ...filled, ...nic.nicparams } as Nicparams;
      const where = `Instance ${instanceLabel(instance)}, nic/${at}`;
      if (own.mode === "routed" && nic.ip === undefined) {
        return [`${where}: routed NIC with no ip address`];
      }
      const wrongNic = nicFault(nic, own);
      return wrongNic === undefined ? [] : [`${where}: ${wrongNic}`];
    }),
  );
  if (faults.length === 0) return filled;
  wrongInput(`Cannot apply the change, errors:\n${faults.join("\n")}`);
}

/** Parameters of hypervisors and operating systems. */
function withHypervisors(op: Op, now: Snapshot, before: ClusterObject): ClusterObject {
  let { hvparams, enabled_hypervisors } = before;
  const types = hvparamTypes(now);
  for (const [name, parameters] of Object.entries(op.hvparams ?? {})) {
    hvparams = {
      ...hvparams,
      [name]: { ...hvparams[name], ...typedParameters(parameters, types) },
    };
  }
  if (op.enabled_hypervisors !== undefined) {
    if (op.enabled_hypervisors.length === 0) wrongInput("Enabled hypervisors list is empty");
    ({ enabled_hypervisors } = op);
    for (const name of enabled_hypervisors) {
      hvparams = { ...hvparams, [name]: { ...defaultHvparams[name], ...hvparams[name] } };
    }
    checkHypervisorsUnused(now, enabled_hypervisors);
  }
  return {
    ...before,
    hvparams,
    enabled_hypervisors,
    os_hvp: op.os_hvp === undefined ? before.os_hvp : changedOsHvp(op, before, types),
    osparams: changedSets(before.osparams, op.osparams),
    osparams_private_cluster: changedSets(
      before.osparams_private_cluster,
      op.osparams_private_cluster,
    ),
  };
}

/** @throws PrereqError if an instance uses a hypervisor that would be disabled */
function checkHypervisorsUnused(now: Snapshot, enabled: readonly string[]): void {
  const using = [...now.instances(), ...instancesToCome(now)].find(
    ({ hypervisor }) => hypervisor !== undefined && !enabled.includes(hypervisor),
  );
  if (using === undefined) return;
  wrongState(
    `Cannot disable hypervisor '${using.hypervisor}': instance ${instanceLabel(using)} uses it`,
  );
}

/**
 * By operating system and hypervisor; null removes the entry of a hypervisor, and an operating
 * system without entries is dropped.
 */
function changedOsHvp(
  op: Op,
  before: ClusterObject,
  types: ReturnType<typeof hvparamTypes>,
): ClusterObject["os_hvp"] {
  const changed: Record<string, Sets> = { ...before.os_hvp };
  for (const [os, sets] of Object.entries(op.os_hvp ?? {})) {
    const own: Record<string, Parameters> = { ...changed[os] };
    for (const [name, parameters] of Object.entries(sets)) {
      if (parameters === null) delete own[name];
      else own[name] = { ...own[name], ...typedParameters(parameters as JsonObject, types) };
    }
    changed[os] = own;
    if (Object.keys(own).length === 0) delete changed[os];
  }
  return changed;
}

/** `default` or null removes a parameter, and an operating system without parameters is dropped. */
function changedSets(
  before: Sets,
  changes: Readonly<Record<string, JsonObject>> | undefined,
): Sets {
  const changed: Record<string, Parameters> = { ...before };
  for (const [name, parameters] of Object.entries(changes ?? {})) {
    const own: Record<string, Json> = { ...(changed[name] as JsonObject | undefined) };
    for (const [key, value] of Object.entries(parameters)) {
      if (value === "default" || value === null) delete own[key];
      else own[key] = value;
    }
    changed[name] = own as Parameters;
    if (Object.keys(own).length === 0) delete changed[name];
  }
  return changed;
}

/** Lists of user ids, and of hidden and blacklisted operating systems. */
function withLists(op: Op, before: ClusterObject, told: (line: string) => void): ClusterObject {
  let pool: UidPool = op.uid_pool ?? before.uid_pool;
  if (op.add_uids !== undefined) pool = withUids(pool, op.add_uids);
  if (op.remove_uids !== undefined) pool = withoutUids(pool, op.remove_uids);
  return {
    ...before,
    uid_pool: pool,
    hidden_os: changedList(before.hidden_os, op.hidden_os, "hidden", told),
    blacklisted_os: changedList(before.blacklisted_os, op.blacklisted_os, "blacklisted", told),
  };
}

function changedList(
  before: readonly string[],
  changes: Op["hidden_os"],
  called: string,
  told: (line: string) => void,
): readonly string[] {
  let list = before;
  for (const [action, name] of changes ?? []) {
    const isThere = list.includes(name);
    if (action === "add") {
      if (isThere) told(`OS ${name} already in ${called} OS list, ignoring`);
      else list = [...list, name];
    } else if (isThere) {
      list = list.filter((one) => one !== name);
    } else {
      told(`OS ${name} not found in ${called} OS list, ignoring`);
    }
  }
  return list;
}

function collectors(op: Op, { data_collectors }: ClusterObject): ClusterObject["data_collectors"] {
  const changed = { ...data_collectors };
  const change = (name: string, more: { active?: boolean; interval?: number }) => {
    const before = changed[name];
    if (before === undefined) wrongInput(`Unknown data collector '${name}'`);
    changed[name] = { ...before, ...more };
  };
  for (const [name, active] of Object.entries(op.enabled_data_collectors ?? {})) {
    change(name, { active });
  }
  for (const [name, interval] of Object.entries(op.data_collector_interval ?? {})) {
    change(name, { interval });
  }
  return changed;
}

/** Allocator lists by request, as given; a single list serves all requests. */
export function allocatorLists(op: Op): Readonly<Record<string, readonly string[]>> {
  const wanted = op.default_iallocator;
  if (wanted === undefined) return {};
  if (typeof wanted !== "string") return wanted as Readonly<Record<string, readonly string[]>>;
  const names = wanted.split(",").map((name) => name.trim());
  return { "": names.filter((name) => name !== "") };
}

/**
 * The single default is the first allocator of the list for allocations. If that changes, requests
 * without a list of their own keep the previous default.
 */
function allocators(
  op: Op,
  before: ClusterObject,
): Pick<ClusterObject, "default_iallocator" | "default_iallocators"> {
  const { default_iallocator, default_iallocators } = before;
  if (op.default_iallocator === undefined) return { default_iallocator, default_iallocators };
  const { "": all, ...lists } = allocatorLists(op);
  if (all === undefined) {
    const changed = { ...default_iallocators, ...lists };
    const [first = default_iallocator] = changed.allocate ?? [];
    const kept =
      first === default_iallocator || default_iallocator === ""
        ? {}
        : Object.fromEntries(allocatorRequests.map((request) => [request, [default_iallocator]]));
    return { default_iallocator: first, default_iallocators: { ...kept, ...changed } };
  }
  const everyRequest = Object.fromEntries(allocatorRequests.map((request) => [request, all]));
  return {
    default_iallocator: all[0] ?? "",
    default_iallocators: all.length > 1 ? everyRequest : undefined,
  };
}
