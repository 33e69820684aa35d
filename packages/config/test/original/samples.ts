// Configurations of versions 2.0 to 3.1: a recorded one of 3.0 and, made from it step by step, its older and newer forms.
import { readFileSync } from "node:fs";

export type Part = Record<string, unknown>;
/** A configuration as JSON; the tests change it. */
export interface File extends Part {
  version: number;
  cluster: Part;
  nodes: Record<string, Part>;
  nodegroups: Record<string, Part>;
  instances: Record<string, Part>;
  disks?: Record<string, Part>;
  networks?: Record<string, Part>;
  filters?: Record<string, Part>;
}

/** All 3.0 configurations have the keys of this one: the bench's population with stand-ins for storage, and more values set. */
export const recorded = (): File =>
  JSON.parse(readFileSync(new URL("../fixtures/ganeti-3.0.json", import.meta.url), "utf8"));

const values = (map: Record<string, Part> | undefined) => Object.values(map ?? {});
const without = (part: Part, ...keys: readonly string[]) => {
  for (const key of keys) delete part[key];
};

/** A configuration of each version that differs from the next one in what our upgrade or Ganeti's changes. */
export function samples(): ReadonlyMap<string, File> {
  const steps: readonly (readonly [string, (file: File) => void])[] = [
    ["3.0", () => {}],
    ["2.16", to216],
    ["2.15", to215],
    ["2.11", to211],
    ["2.8", to28],
    ["2.5", to25],
    ["2.0", to20],
  ];
  const found = new Map<string, File>([["3.1", to31(recorded())]]);
  let file = recorded();
  for (const [name, step] of steps) {
    file = structuredClone(file);
    step(file);
    const [major, minor] = name.split(".").map(Number) as [number, number];
    file.version = major * 1_000_000 + minor * 10_000;
    found.set(name, file);
  }
  return found;
}

function to31(file: File): File {
  file.version = 3_010_000;
  const hvparams = file.cluster.hvparams as Record<string, Part>;
  delete hvparams["xen-pvm"]?.xen_cmd;
  Object.assign(hvparams.kvm ?? {}, { disk_discard: "ignore" });
  return file;
}

/** Without forthcoming objects. */
function to216({ instances, disks }: File): void {
  for (const map of [instances, disks ?? {}]) {
    for (const [uuid, one] of Object.entries(map)) if (one.forthcoming === true) delete map[uuid];
  }
}

/** Disks without nodes, templates of instances, fewer parameters of the cluster. */
function to215(file: File): void {
  delete file.filters;
  without(file.cluster, "ssh_key_type", "ssh_key_bits", "data_collectors", "compression_tools");
  without(file.cluster, "zeroing_image", "install_image", "enabled_user_shutdown");
  for (const disk of values(file.disks)) delete disk.nodes;
  for (const instance of values(file.instances)) {
    const [first] = (instance.disks as string[]).map((uuid) => file.disks?.[uuid]);
    instance.disk_template = first?.dev_type ?? "diskless";
    delete instance.admin_state_source;
  }
}

/** Nodes and instances by name, disks inside their instances. */
function to211(file: File): void {
  const { cluster } = file;
  without(cluster, "candidate_certs", "instance_communication_network", "max_running_jobs");
  without(cluster, "max_tracked_jobs", "osparams_private_cluster", "gluster_storage_dir");
  const nameOf = (uuid: unknown) => file.nodes[String(uuid)]?.name;
  cluster.master_node = nameOf(cluster.master_node);
  for (const instance of values(file.instances)) {
    instance.primary_node = nameOf(instance.primary_node);
    delete instance.osparams_private;
    instance.disks = (instance.disks as string[]).map((uuid) => file.disks?.[uuid]);
    for (const disk of instance.disks as Part[]) {
      without(disk, "serial_no", "ctime", "mtime");
      const id = disk.logical_id as unknown[];
      if (disk.dev_type === "drbd")
        disk.logical_id = [nameOf(id[0]), nameOf(id[1]), ...id.slice(2)];
    }
  }
  delete file.disks;
  const byName = (map: Record<string, Part>) =>
    Object.fromEntries(values(map).map((one) => [String(one.name), one]));
  file.nodes = byName(file.nodes);
  file.instances = byName(file.instances);
}

const oldTypes: Readonly<Record<string, string>> = { plain: "lvm", drbd: "drbd8" };

/** One interval in policies, old names of disk types, physical ids, networks by name and with more keys. */
function to28(file: File): void {
  const policies = [file.cluster, ...values(file.nodegroups)].map(({ ipolicy }) => ipolicy as Part);
  for (const policy of policies) {
    const [interval] = (policy.minmax ?? []) as Part[];
    if (interval !== undefined) Object.assign(policy, structuredClone(interval));
    delete policy.minmax;
  }
  for (const group of values(file.nodegroups)) (group.ipolicy as Part).std = {};
  const nameOf = (uuid: unknown) => file.networks?.[String(uuid)]?.name;
  for (const instance of values(file.instances)) {
    for (const nic of instance.nics as Part[]) {
      if (nic.network !== undefined) nic.network = nameOf(nic.network);
      without(nic, "uuid", "name");
    }
    const older = (disk: Part) => {
      disk.dev_type = oldTypes[String(disk.dev_type)] ?? disk.dev_type;
      disk.physical_id = disk.logical_id;
      without(disk, "uuid", "nodes");
      for (const child of (disk.children ?? []) as Part[]) older(child);
    };
    for (const disk of instance.disks as Part[]) older(disk);
  }
  for (const network of values(file.networks)) {
    Object.assign(network, { family: 4, network_type: "private" });
  }
  without(file.cluster, "enabled_disk_templates");
}

/** One value of memory, no networks, no policies, no parameters of disks. */
function to25(file: File): void {
  const { cluster } = file;
  without(cluster, "ipolicy", "diskparams", "hv_state_static", "disk_state_static");
  without(cluster, "master_netmask", "use_external_mip_script", "shared_file_storage_dir");
  const single = (beparams: Part) => {
    if (beparams.maxmem !== undefined) beparams.memory = beparams.maxmem;
    without(beparams, "minmem", "maxmem", "always_failover", "spindle_use");
  };
  single((cluster.beparams as { default: Part }).default);
  delete file.networks;
  for (const group of values(file.nodegroups)) {
    without(group, "ipolicy", "diskparams", "networks", "hv_state_static", "disk_state_static");
  }
  for (const node of values(file.nodes)) {
    without(node, "ndparams", "powered", "hv_state_static", "disk_state_static");
  }
  for (const instance of values(file.instances)) {
    single(instance.beparams as Part);
    instance.admin_up = instance.admin_state === "up";
    without(instance, "admin_state", "disks_active");
    for (const nic of instance.nics as Part[]) delete nic.network;
    for (const disk of instance.disks as Part[]) delete disk.params;
  }
}

/** No groups, a default bridge and a default hypervisor, and what later versions of 2 added to the cluster. */
function to20(file: File): void {
  const { cluster } = file;
  file.nodegroups = {};
  for (const node of values(file.nodes)) without(node, "group", "master_capable", "vm_capable");
  Object.assign(cluster, { default_bridge: "br0", default_hypervisor: "fake" });
  without(cluster, "nicparams", "os_hvp", "osparams", "ndparams", "maintain_node_health");
  without(cluster, "uid_pool", "default_iallocator", "default_iallocator_params", "reserved_lvs");
  without(cluster, "hidden_os", "blacklisted_os", "primary_ip_family", "prealloc_wipe_disks");
  without(cluster, "drbd_usermode_helper");
  for (const instance of values(file.instances)) delete instance.osparams;
}
