/** Methods that ask for the cluster, and those about filter rules. */
import { FilterUuid } from "@ganeti-ts/protocol";
import * as z from "zod";
import {
  AnyJson,
  FilterArgument,
  itemKind,
  NoLock,
  ReasonArgument,
  RuleAction,
  RulePredicates,
  RulePriority,
  RuleUuid,
  TagKindArgument,
  Text,
  Texts,
} from "./arguments.js";
import { method } from "./define.js";
import { FieldList, QueryAnswer, Rows } from "./results.js";

const Parameters = z.record(z.string(), AnyJson).readonly();
const ParameterSets = z.record(z.string(), Parameters).readonly();
const TextList = z.array(z.string()).readonly();

/** Clients index most keys without a default, so all are there. */
const ClusterInfo = z
  .looseObject({
    software_version: z.string(),
    protocol_version: z.int(),
    config_version: z.int(),
    os_api_version: z.int(),
    export_version: z.int(),
    vcs_version: z.string(),
    architecture: TextList,
    name: z.string(),
    master: z.string(),
    default_hypervisor: z.string(),
    enabled_hypervisors: TextList,
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
    tags: TextList,
    /** Ranges of user ids, both ends included. */
    uid_pool: z.array(z.tuple([z.int(), z.int()]).readonly()).readonly(),
    default_iallocator: z.string(),
    default_iallocator_params: Parameters,
    reserved_lvs: TextList,
    primary_ip_version: z.int(),
    prealloc_wipe_disks: z.boolean(),
    hidden_os: TextList,
    blacklisted_os: TextList,
    enabled_disk_templates: TextList,
    install_image: z.string(),
    instance_communication_network: z.string(),
    zeroing_image: z.string(),
    compression_tools: TextList,
    enabled_user_shutdown: z.boolean(),
    enabled_data_collectors: z.record(z.string(), z.boolean()).readonly(),
    /** Microseconds. */
    data_collector_interval: z.record(z.string(), z.number()).readonly(),
    modify_ssh_setup: z.boolean(),
    ssh_key_type: z.string(),
    ssh_key_bits: z.int(),
  })
  .readonly();

/** Queries by name: an empty list of names is all items. */
const classic = method({
  parameters: { names: Texts, fields: Texts, lock: NoLock },
  result: Rows,
  arityFault: "Unable to read Triple",
});

export const queryMethods = {
  Query: method({
    parameters: { kind: itemKind("Query"), fields: Texts, filter: FilterArgument },
    result: QueryAnswer,
    arityFault: "Unable to read Triple",
  }),
  QueryFields: method({
    /** Null: all fields. */
    parameters: { kind: itemKind("QueryFields"), fields: Texts.nullable() },
    result: FieldList,
    arityFault: "Unable to read Pair",
  }),
  QueryInstances: classic,
  QueryNodes: classic,
  QueryGroups: classic,
  QueryNetworks: classic,
  QueryExports: method({
    parameters: { nodes: Texts, lock: NoLock },
    /** `[node, export]`, null for a node without any. */
    result: z.array(z.tuple([z.string(), z.string().nullable()]).readonly()).readonly(),
    arityFault: "Unable to read Pair",
  }),
  QueryFilters: method({
    parameters: { uuids: Texts.nullable(), fields: Texts },
    result: Rows,
    arityFault: "Unable to read Pair",
  }),
  QueryTags: method({
    parameters: { kind: TagKindArgument, name: Text },
    result: z.array(z.string()).readonly(),
    arityFault: "Unable to read Pair",
  }),
  QueryConfigValues: method({ parameters: { names: Texts }, result: z.array(AnyJson).readonly() }),
  QueryClusterInfo: method({ parameters: {}, result: ClusterInfo }),
  ReplaceFilter: method({
    parameters: {
      /** Null: a new rule. */
      uuid: RuleUuid.nullable(),
      priority: RulePriority,
      predicates: RulePredicates,
      action: RuleAction,
      reason: ReasonArgument,
    },
    result: FilterUuid,
    arityFault: "Unable to read Tuple5",
  }),
  DeleteFilter: method({ parameters: { uuid: Text }, result: z.null() }),
};
