/** Query fields of the cluster. */

import {
  configVersion,
  exportVersion,
  osApiVersion,
  protocolVersion,
  softwareVersion,
  vcsVersion,
} from "@ganeti-ts/config";
import { type Field, field, optionalField } from "./field.js";

/** Values that are not in the configuration. */
export interface ClusterItem {
  /** Whether the queue is drained. */
  readonly drained: boolean;
  /** Seconds since the epoch; null: the watcher is not paused. */
  readonly watcherPausedUntil: number | null;
  /** `["64bits", "x86_64"]` */
  readonly architecture: readonly [bits: string, machine: string];
}

export const clusterFields: readonly Field<ClusterItem>[] = [
  field(["tags", "Tags", "other", "Tags"], (_, { cluster }) => cluster.tags ?? []),
  field(
    ["architecture", "ArchInfo", "other", "Architecture information"],
    ({ architecture }) => architecture,
  ),
  field(
    ["drain_flag", "QueueDrained", "bool", "Flag whether job queue is drained"],
    ({ drained }) => drained,
  ),
  optionalField(
    ["watcher_pause", "WatcherPause", "timestamp", "Until when watcher is paused"],
    "unavailable",
    ({ watcherPausedUntil }) => watcherPausedUntil,
  ),
  optionalField(
    ["master_node", "Master", "text", "Master node name"],
    "noData",
    (_, now) => now.node(now.cluster.master_node)?.name,
    "hostname",
  ),
  ...["cluster_name", "name"].map((name) =>
    field<ClusterItem>(
      [name, "Name", "text", "Cluster name"],
      (_, { cluster }) => cluster.cluster_name,
      "hostname",
    ),
  ),
  optionalField(
    ["volume_group_name", "VgName", "text", "LVM volume group name"],
    "unavailable",
    (_, { cluster }) => cluster.volume_group_name,
  ),
  field(["software_version", "SoftwareVersion", "text", "Software version"], () => softwareVersion),
  field(
    ["protocol_version", "ProtocolVersion", "number", "RPC protocol version"],
    () => protocolVersion,
  ),
  field(
    ["config_version", "ConfigVersion", "number", "Configuration format version"],
    () => configVersion,
  ),
  field(
    ["os_api_version", "OsApiVersion", "number", "API version for OS template scripts"],
    () => osApiVersion,
  ),
  field(
    ["export_version", "ExportVersion", "number", "Import/export file format version"],
    () => exportVersion,
  ),
  field(["vcs_version", "VCSVersion", "text", "VCS version"], () => vcsVersion),
  field(
    ["ctime", "CTime", "timestamp", "Creation timestamp"],
    (_, { cluster }) => cluster.ctime ?? 0,
  ),
  field(
    ["mtime", "MTime", "timestamp", "Modification timestamp"],
    (_, { cluster }) => cluster.mtime ?? 0,
  ),
];
