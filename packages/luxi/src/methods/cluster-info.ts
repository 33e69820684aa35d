/** The answer to `QueryClusterInfo`: the cluster as a whole, with the keys that `gnt-cluster info` needs. */
import * as z from "zod";
import { AnyJson } from "./arguments.js";

const Parameters = z.record(z.string(), AnyJson).readonly();
const ParameterSets = z.record(z.string(), Parameters).readonly();
const Texts = z.array(z.string()).readonly();

/** Clients index most keys without a default, so all are there. */
export const ClusterInfo = z
  .looseObject({
    software_version: z.string(),
    protocol_version: z.int(),
    config_version: z.int(),
    os_api_version: z.int(),
    export_version: z.int(),
    vcs_version: z.string(),
    architecture: Texts,
    name: z.string(),
    master: z.string(),
    default_hypervisor: z.string(),
    enabled_hypervisors: Texts,
    hvparams: ParameterSets,
    os_hvp: z.record(z.string(), ParameterSets).readonly(),
    beparams: ParameterSets,
    osparams: ParameterSets,
    ipolicy: Parameters,
    nicparams: ParameterSets,
    ndparams: Parameters,
    diskparams: ParameterSets,
    candidate_pool_size: z.int(),
    max_running_jobs: z.int(),
    max_tracked_jobs: z.int(),
    mac_prefix: z.string(),
    master_netdev: z.string(),
    master_netmask: z.int(),
    use_external_mip_script: z.boolean(),
    volume_group_name: z.string().nullable(),
    drbd_usermode_helper: z.string().nullable(),
    file_storage_dir: z.string(),
    shared_file_storage_dir: z.string(),
    gluster_storage_dir: z.string(),
    maintain_node_health: z.boolean(),
    ctime: z.number(),
    mtime: z.number(),
    uuid: z.string(),
    tags: Texts,
    /** Ranges of user ids, both ends included. */
    uid_pool: z.array(z.tuple([z.int(), z.int()]).readonly()).readonly(),
    default_iallocator: z.string(),
    default_iallocator_params: Parameters,
    reserved_lvs: Texts,
    primary_ip_version: z.int(),
    prealloc_wipe_disks: z.boolean(),
    hidden_os: Texts,
    blacklisted_os: Texts,
    enabled_disk_templates: Texts,
    install_image: z.string(),
    instance_communication_network: z.string(),
    zeroing_image: z.string(),
    compression_tools: Texts,
    enabled_user_shutdown: z.boolean(),
    enabled_data_collectors: z.record(z.string(), z.boolean()).readonly(),
    /** Microseconds. */
    data_collector_interval: z.record(z.string(), z.number()).readonly(),
    modify_ssh_setup: z.boolean(),
    ssh_key_type: z.string(),
    ssh_key_bits: z.int(),
  })
  .readonly();
export type ClusterInfo = z.infer<typeof ClusterInfo>;
