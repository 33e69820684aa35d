/** Cluster object of the configuration. */
import * as z from "zod";
import { diskTemplates } from "../cluster-data.js";
import { hypervisors } from "../iallocator/hypervisor.js";
import { Parameters, stamps, Tags } from "./common.js";
import { NodeUuid } from "./ids.js";
import { Beparams, Diskparams, Ndparams, Nicparams } from "./parameters.js";
import { ClusterPolicy } from "./policy.js";

const ParametersByName = z.record(z.string(), Parameters).readonly();
const StateByName = z.record(z.string(), ParametersByName).readonly();

/** Requests of the allocator protocol; each may have its own list of allocators. */
export const allocatorRequests = [
  "allocate",
  "relocate",
  "multi-allocate",
  "node-evacuate",
  "change-group",
  "balance",
  "capacity",
] as const;

/** Inclusive; both ends are equal for a single id. */
const UidRange = z.tuple([z.int(), z.int()]).readonly();
/** Schema of the pool of user ids for instances: ranges, both ends within. */
export const UidPool = z.array(UidRange).readonly();
export type UidPool = z.infer<typeof UidPool>;

const DataCollector = z.strictObject({
  active: z.boolean(),
  /** Microseconds. */
  interval: z.number(),
});

/** Schema of the cluster object of `config.data`. */
export const ClusterObject = z
  .strictObject({
    uuid: z.string(),
    cluster_name: z.string(),
    master_node: NodeUuid,
    master_ip: z.string(),
    master_netdev: z.string(),
    master_netmask: z.int(),
    use_external_mip_script: z.boolean(),
    /** 2 is IPv4, 10 is IPv6. */
    primary_ip_family: z.union([z.literal(2), z.literal(10)]),
    rsahostkeypub: z.string(),
    dsahostkeypub: z.string().optional(),
    highest_used_port: z.int(),
    /** Ports that were used once and are free again. */
    tcpudp_port_pool: z.array(z.int()).readonly(),
    /** Three octets, lower case. */
    mac_prefix: z.string(),
    /** Absent: no LVM. */
    volume_group_name: z.string().optional(),
    reserved_lvs: z.array(z.string()).readonly(),
    drbd_usermode_helper: z.string().optional(),
    file_storage_dir: z.string(),
    shared_file_storage_dir: z.string(),
    gluster_storage_dir: z.string(),
    /** The first one is the default. */
    enabled_hypervisors: z.array(z.enum(hypervisors)).readonly(),
    hvparams: ParametersByName,
    os_hvp: StateByName,
    beparams: z.strictObject({ default: Beparams }).readonly(),
    osparams: ParametersByName,
    osparams_private_cluster: ParametersByName,
    nicparams: z.strictObject({ default: Nicparams }).readonly(),
    ndparams: Ndparams,
    diskparams: Diskparams,
    ipolicy: ClusterPolicy,
    candidate_pool_size: z.int(),
    modify_etc_hosts: z.boolean(),
    modify_ssh_setup: z.boolean(),
    maintain_node_health: z.boolean(),
    uid_pool: UidPool,
    default_iallocator: z.string(),
    default_iallocator_params: Parameters,
    /** Allocators to try in order, by request; a request without an entry uses only `default_iallocator`. */
    default_iallocators: z
      .partialRecord(z.enum(allocatorRequests), z.array(z.string()).readonly())
      .readonly()
      .optional(),
    hidden_os: z.array(z.string()).readonly(),
    blacklisted_os: z.array(z.string()).readonly(),
    prealloc_wipe_disks: z.boolean(),
    hv_state_static: ParametersByName,
    disk_state_static: StateByName,
    /** The first one is the default. */
    enabled_disk_templates: z.array(z.enum(diskTemplates)).readonly(),
    /** Certificate digests by node UUID. */
    candidate_certs: z.record(z.string(), z.string()).readonly(),
    max_running_jobs: z.int(),
    max_tracked_jobs: z.int(),
    install_image: z.string(),
    zeroing_image: z.string(),
    instance_communication_network: z.string(),
    compression_tools: z.array(z.string()).readonly(),
    enabled_user_shutdown: z.boolean(),
    data_collectors: z.record(z.string(), DataCollector).readonly(),
    ssh_key_type: z.string(),
    ssh_key_bits: z.int(),
    ...stamps,
    tags: Tags,
  })
  .readonly();
export type ClusterObject = z.infer<typeof ClusterObject>;
