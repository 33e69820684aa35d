/** lookingNodes: a node back end that sends read-only calls alone. */
import { failed, type NodeBackend, type NodeCallName } from "@ganeti-ts/node-calls";

/**
 * Calls that change nothing on a node, run no program of an administrator and occupy the node for no longer than an
 * answer takes.
 */
export const lookingCalls: ReadonlySet<NodeCallName> = new Set<NodeCallName>([
  ...(["version", "master_node_name", "node_info", "node_verify", "node_verify_light"] as const),
  ...(["node_volumes", "lv_list", "vg_list", "bdev_sizes", "bridges_exist"] as const),
  ...(["drbd_helper", "node_has_ip_address", "get_file_info", "get_watcher_pause"] as const),
  ...(["instance_list", "all_instances_info", "instance_info", "instance_console_info"] as const),
  ...(["instance_migratable", "migration_info", "instance_get_migration_status"] as const),
  ...(["hypervisor_validate_params", "hotplug_supported", "blockdev_find"] as const),
  ...(["blockdev_getmirrorstatus", "blockdev_getmirrorstatus_multi"] as const),
  ...(["blockdev_getdimensions", "drbd_needs_activation", "os_diagnose"] as const),
  ...(["extstorage_diagnose", "storage_list", "export_list", "export_info"] as const),
]);

/** All other calls fail without reaching a node. */
export const lookingNodes = (nodes: NodeBackend): NodeBackend => ({
  introduce: (node) => nodes.introduce(node),
  call: async (node, name, args, caller) =>
    lookingCalls.has(name)
      ? nodes.call(node, name, args, caller)
      : failed(`this is a shadow: the call ${name} is not sent`),
});
