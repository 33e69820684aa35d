/** Opcodes about the cluster as a whole: its parameters, its verification, its master address. */
import * as z from "zod";
import { AllocatorMode, DiskTemplateChoice, HypervisorChoice, SshKeyType } from "./choices.js";
import { opcode } from "./define.js";
import { DiskParameters, OpcodeDisk } from "./disk.js";
import { OpcodeNic } from "./nic.js";
import { dict, flag, listOf, mapOf, natural, nonEmpty, positive, text, whole } from "./values.js";

/** First and last. */
const UidRange = z.tuple([whole, whole]);
const OsListChange = z.tuple([z.enum(["add", "remove"]), nonEmpty]);

export const clusterOpcodes = {
  OP_CLUSTER_POST_INIT: opcode("OP_CLUSTER_POST_INIT", null, {}),
  OP_CLUSTER_DESTROY: opcode("OP_CLUSTER_DESTROY", null, {}),
  OP_CLUSTER_QUERY: opcode("OP_CLUSTER_QUERY", null, {}),
  OP_CLUSTER_CONFIG_QUERY: opcode("OP_CLUSTER_CONFIG_QUERY", null, {
    output_fields: listOf(nonEmpty),
  }),
  OP_CLUSTER_RENAME: opcode("OP_CLUSTER_RENAME", "name", {
    name: nonEmpty,
  }),
  OP_CLUSTER_SET_PARAMS: opcode("OP_CLUSTER_SET_PARAMS", null, {
    force: flag.default(false),
    hv_state: dict.optional(),
    disk_state: dict.optional(),
    vg_name: text.optional(),
    enabled_hypervisors: listOf(HypervisorChoice).optional(),
    hvparams: mapOf(dict).optional(),
    beparams: dict.optional(),
    os_hvp: mapOf(dict).optional(),
    osparams: mapOf(dict).optional(),
    osparams_private_cluster: mapOf(dict).optional(),
    diskparams: DiskParameters.optional(),
    candidate_pool_size: positive.optional(),
    max_running_jobs: positive.optional(),
    max_tracked_jobs: positive.optional(),
    uid_pool: listOf(UidRange).optional(),
    add_uids: listOf(UidRange).optional(),
    remove_uids: listOf(UidRange).optional(),
    maintain_node_health: flag.optional(),
    prealloc_wipe_disks: flag.optional(),
    nicparams: OpcodeNic.optional(),
    ndparams: dict.optional(),
    ipolicy: dict.optional(),
    drbd_helper: text.optional(),
    /** A name, several separated by commas, or names by type of request. */
    default_iallocator: z
      .union([text, z.partialRecord(AllocatorMode, listOf(nonEmpty))])
      .optional(),
    default_iallocator_params: dict.optional(),
    mac_prefix: nonEmpty.optional(),
    master_netdev: text.optional(),
    master_netmask: natural.optional(),
    reserved_lvs: listOf(nonEmpty).optional(),
    hidden_os: listOf(OsListChange).optional(),
    blacklisted_os: listOf(OsListChange).optional(),
    use_external_mip_script: flag.optional(),
    enabled_disk_templates: listOf(DiskTemplateChoice).optional(),
    modify_etc_hosts: flag.optional(),
    file_storage_dir: text.optional(),
    shared_file_storage_dir: text.optional(),
    gluster_storage_dir: text.optional(),
    install_image: text.optional(),
    instance_communication_network: text.optional(),
    zeroing_image: text.optional(),
    compression_tools: listOf(nonEmpty).optional(),
    enabled_user_shutdown: flag.optional(),
    enabled_data_collectors: mapOf(flag).optional(),
    data_collector_interval: mapOf(whole).optional(),
  }),
  OP_CLUSTER_REDIST_CONF: opcode("OP_CLUSTER_REDIST_CONF", null, {}),
  OP_CLUSTER_ACTIVATE_MASTER_IP: opcode("OP_CLUSTER_ACTIVATE_MASTER_IP", null, {}),
  OP_CLUSTER_DEACTIVATE_MASTER_IP: opcode("OP_CLUSTER_DEACTIVATE_MASTER_IP", null, {}),
  OP_CLUSTER_RENEW_CRYPTO: opcode("OP_CLUSTER_RENEW_CRYPTO", null, {
    node_certificates: flag.default(false),
    renew_ssh_keys: flag.default(false),
    ssh_key_type: SshKeyType.optional(),
    ssh_key_bits: positive.optional(),
    verbose: flag.default(false),
    debug: flag.default(false),
  }),
  /** Not in Ganeti: makes another node the master. */
  OP_CLUSTER_MASTER_FAILOVER: opcode("OP_CLUSTER_MASTER_FAILOVER", null, {
    /** Name or UUID. */
    node_name: nonEmpty,
    /** Proceeds even if most nodes do not answer. */
    no_voting: flag.default(false),
    /** Offline nodes do not count as voters. */
    ignore_offline_nodes: flag.default(false),
  }),
  /** Not in Ganeti: finds moves that balance the groups, and with `execute` submits jobs for them. */
  OP_CLUSTER_BALANCE: opcode("OP_CLUSTER_BALANCE", null, {
    iallocator: nonEmpty.optional(),
    /** Negative means no limit. */
    max_moves: whole.default(-1),
    /** Names or UUIDs; all groups if absent. */
    groups: listOf(nonEmpty).optional(),
    execute: flag.default(false),
  }),
  /** Not in Ganeti: counts the instances of this kind that can still be created. */
  OP_CLUSTER_CAPACITY: opcode("OP_CLUSTER_CAPACITY", null, {
    iallocator: nonEmpty.optional(),
    group_name: nonEmpty.optional(),
    /** Negative means no limit. */
    max_count: whole.default(-1),
    beparams: dict.default({}),
    disks: listOf(OpcodeDisk).default([]),
    disk_template: DiskTemplateChoice.optional(),
    nics: listOf(OpcodeNic).default([]),
    hypervisor: HypervisorChoice.optional(),
    os_type: nonEmpty.optional(),
    tags: listOf(nonEmpty).default([]),
  }),
};
