/** Cluster in the RAPI (`/2/info`). */
import * as z from "zod";
import { hypervisors } from "../iallocator/hypervisor.js";
import { WireDiskTemplate, WirePolicy } from "../iallocator/wire-policy.js";
import { NodeName, Tag } from "../ids.js";
import { WireParameterSets, WireParameters, wireStamps } from "./wire-common.js";

/** Schema of `GET /2/info`: the cluster as a whole. */
export const RapiInfo = z.object({
  name: z.string(),
  master: NodeName,
  software_version: z.string(),
  default_hypervisor: z.enum(hypervisors),
  enabled_hypervisors: z.array(z.enum(hypervisors)),
  enabled_disk_templates: z.array(WireDiskTemplate),
  ipolicy: WirePolicy,
  /** Version numbers of Ganeti's formats. */
  protocol_version: z.int().optional(),
  config_version: z.int().optional(),
  os_api_version: z.int().optional(),
  export_version: z.int().optional(),
  vcs_version: z.string().optional(),
  /** `["64bits", "x86_64"]` */
  architecture: z.array(z.string()).optional(),
  // Defaults of instances, nodes, disks and NICs.
  hvparams: WireParameterSets.optional(),
  os_hvp: z.record(z.string(), WireParameterSets).optional(),
  beparams: WireParameterSets.optional(),
  osparams: WireParameterSets.optional(),
  nicparams: WireParameterSets.optional(),
  ndparams: WireParameters.optional(),
  diskparams: WireParameterSets.optional(),
  default_iallocator: z.string().optional(),
  default_iallocator_params: WireParameters.optional(),
  /** Allocators to try in order, by type of request. */
  default_iallocators: z.record(z.string(), z.array(z.string())).nullish(),
  // Limits and sizes.
  candidate_pool_size: z.int().optional(),
  max_running_jobs: z.int().optional(),
  max_tracked_jobs: z.int().optional(),
  // Names and locations.
  mac_prefix: z.string().optional(),
  master_netdev: z.string().optional(),
  master_netmask: z.int().optional(),
  use_external_mip_script: z.boolean().optional(),
  volume_group_name: z.string().nullish(),
  vg_name: z.string().nullish(),
  drbd_usermode_helper: z.string().nullish(),
  drbd_helper: z.string().nullish(),
  file_storage_dir: z.string().optional(),
  shared_file_storage_dir: z.string().optional(),
  gluster_storage_dir: z.string().optional(),
  install_image: z.string().optional(),
  zeroing_image: z.string().optional(),
  instance_communication_network: z.string().optional(),
  primary_ip_version: z.int().optional(),
  /** Ranges of user ids, both ends included. */
  uid_pool: z.array(z.tuple([z.int(), z.int()])).optional(),
  reserved_lvs: z.array(z.string()).optional(),
  hidden_os: z.array(z.string()).optional(),
  blacklisted_os: z.array(z.string()).optional(),
  compression_tools: z.array(z.string()).optional(),
  // Automatic maintenance.
  maintain_node_health: z.boolean().optional(),
  prealloc_wipe_disks: z.boolean().optional(),
  enabled_user_shutdown: z.boolean().optional(),
  enabled_data_collectors: z.record(z.string(), z.boolean()).optional(),
  /** Microseconds. */
  data_collector_interval: z.record(z.string(), z.int()).optional(),
  modify_ssh_setup: z.boolean().optional(),
  ssh_key_type: z.string().optional(),
  ssh_key_bits: z.int().optional(),
  ctime: wireStamps.ctime,
  mtime: wireStamps.mtime,
  uuid: z.string(),
  tags: z.array(Tag),
  /** Only of this project's servers: says that this is a twin or a shadow of another cluster. */
  note: z.string().optional(),
});
export type RapiInfo = z.infer<typeof RapiInfo>;
