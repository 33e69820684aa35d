/** Names of the parameters of OP_INSTANCE_CREATE, available without loading schemas. */

export const creationParameters: ReadonlySet<string> = new Set([
  ...["OP_ID", "dry_run", "debug_level", "priority", "depends", "comment", "reason"],
  ...["instance_name", "force_variant", "wait_for_sync", "name_check", "ignore_ipolicy"],
  ...["opportunistic_locking", "beparams", "disks", "disk_template", "group_name", "file_driver"],
  ...["file_storage_dir", "hvparams", "hypervisor", "iallocator", "identify_defaults", "ip_check"],
  ...["conflicts_check", "mode", "nics", "no_install", "osparams", "osparams_private"],
  ...["osparams_secret", "os_type", "pnode", "pnode_uuid", "snode", "snode_uuid"],
  ...["source_handshake", "source_instance_name", "source_shutdown_timeout", "source_x509_ca"],
  ...["src_node", "src_node_uuid", "src_path", "compress", "start", "forthcoming", "commit"],
  ...["tags", "instance_communication", "helper_startup_timeout", "helper_shutdown_timeout"],
]);
