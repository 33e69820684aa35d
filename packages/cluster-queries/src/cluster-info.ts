/** Cluster information: `/2/info`, and the result of a cluster query. */
import type { Snapshot } from "@ganeti-ts/config";
import {
  configVersion,
  exportVersion,
  osApiVersion,
  protocolVersion,
  softwareVersion,
  vcsVersion,
} from "@ganeti-ts/config";
import type { ClusterObject } from "@ganeti-ts/protocol";

/** The cluster as `QueryClusterInfo` and `GET /2/info` show it. */
export type ClusterInfo = { readonly [key: string]: unknown };

/** Keys in Ganeti's order, plus our `default_iallocators`; secrets of operating systems are omitted. */
export function clusterInfo(now: Snapshot, architecture: readonly [string, string]): ClusterInfo {
  const { cluster } = now;
  return {
    software_version: softwareVersion,
    protocol_version: protocolVersion,
    config_version: configVersion,
    os_api_version: osApiVersion,
    export_version: exportVersion,
    vcs_version: vcsVersion,
    architecture,
    name: cluster.cluster_name,
    master: now.node(cluster.master_node)?.name ?? null,
    default_hypervisor: cluster.enabled_hypervisors[0] ?? null,
    enabled_hypervisors: cluster.enabled_hypervisors,
    ...parametersOf(cluster),
    ...networkOf(cluster),
    ...storageOf(cluster),
    ...stampsOf(cluster),
    ...policiesOf(cluster),
    ...collectorsOf(cluster),
    modify_ssh_setup: cluster.modify_ssh_setup,
    ssh_key_type: cluster.ssh_key_type,
    ssh_key_bits: cluster.ssh_key_bits,
    default_iallocators: cluster.default_iallocators ?? {},
  };
}

const parametersOf = (cluster: ClusterObject): ClusterInfo => ({
  hvparams: cluster.hvparams,
  os_hvp: cluster.os_hvp,
  beparams: cluster.beparams,
  osparams: cluster.osparams,
  ipolicy: cluster.ipolicy,
  nicparams: cluster.nicparams,
  ndparams: cluster.ndparams,
  diskparams: cluster.diskparams,
  candidate_pool_size: cluster.candidate_pool_size,
  max_running_jobs: cluster.max_running_jobs,
  max_tracked_jobs: cluster.max_tracked_jobs,
});

const networkOf = (cluster: ClusterObject): ClusterInfo => ({
  mac_prefix: cluster.mac_prefix,
  master_netdev: cluster.master_netdev,
  master_netmask: cluster.master_netmask,
  use_external_mip_script: cluster.use_external_mip_script,
});

const storageOf = (cluster: ClusterObject): ClusterInfo => ({
  volume_group_name: cluster.volume_group_name ?? null,
  drbd_usermode_helper: cluster.drbd_usermode_helper ?? null,
  file_storage_dir: cluster.file_storage_dir,
  shared_file_storage_dir: cluster.shared_file_storage_dir,
  gluster_storage_dir: cluster.gluster_storage_dir,
  maintain_node_health: cluster.maintain_node_health,
});

const stampsOf = (cluster: ClusterObject): ClusterInfo => ({
  ctime: cluster.ctime ?? 0,
  mtime: cluster.mtime ?? 0,
  uuid: cluster.uuid,
  tags: cluster.tags,
});

const policiesOf = (cluster: ClusterObject): ClusterInfo => ({
  uid_pool: cluster.uid_pool,
  default_iallocator: cluster.default_iallocator,
  default_iallocator_params: cluster.default_iallocator_params,
  reserved_lvs: cluster.reserved_lvs,
  primary_ip_version: cluster.primary_ip_family === 10 ? 6 : 4,
  prealloc_wipe_disks: cluster.prealloc_wipe_disks,
  hidden_os: cluster.hidden_os,
  blacklisted_os: cluster.blacklisted_os,
  enabled_disk_templates: cluster.enabled_disk_templates,
  install_image: cluster.install_image,
  instance_communication_network: cluster.instance_communication_network,
  zeroing_image: cluster.zeroing_image,
  compression_tools: cluster.compression_tools,
  enabled_user_shutdown: cluster.enabled_user_shutdown,
});

function collectorsOf(cluster: ClusterObject): ClusterInfo {
  const collectors = Object.entries(cluster.data_collectors);
  return {
    enabled_data_collectors: Object.fromEntries(
      collectors.map(([name, { active }]) => [name, active]),
    ),
    data_collector_interval: Object.fromEntries(
      collectors.map(([name, { interval }]) => [name, interval]),
    ),
  };
}
