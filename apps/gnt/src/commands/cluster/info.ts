/** gnt-cluster info and show-ispecs-cmd. */
import { formatUidPool } from "@ganeti-ts/config";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  pythonText,
  type UidPool,
} from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { roman } from "../../roman.js";
import { timeText } from "../../time-text.js";
import { type Entry, ordered, printTree, type Tree } from "../../tree.js";
import { sortedNames } from "../named.js";
import { clusterPolicyTree, type Write } from "../parameter-tree.js";
import { policyOptions } from "./policy-command.js";

/** With `--json`, the answer of the server. */
export async function info({ cluster, out, options }: Invocation): Promise<ExitCode> {
  const info = await cluster.info();
  if (out.json) out.document(info);
  else printTree(out, infoTree(info, options.flag("roman")));
  return 0;
}

/** Prints the command that creates a cluster with these instance limits. */
export async function showIspecsCommand({ cluster, out }: Invocation): Promise<ExitCode> {
  const { ipolicy, name } = await cluster.info();
  out.line(`gnt-cluster init${policyOptions(ipolicy as JsonObject)} ${name}`);
  return 0;
}

/** `info` is the answer of `/2/info`. */
function infoTree(info: JsonObject, inRoman: boolean): Tree {
  const write: Write = (value) =>
    (inRoman && typeof value === "number" ? roman(value) : undefined) ?? pythonText(value);
  const enabled = list(info, "enabled_hypervisors");
  const hvparams = Object.fromEntries(
    Object.entries(object(info, "hvparams")).filter(([name]) => enabled.includes(name)),
  );
  const tags = sortedNames(list(info, "tags"));
  const [bits, machine] = list(info, "architecture");
  return ordered(
    ["Cluster name", info.name ?? null],
    ["Cluster UUID", info.uuid ?? null],
    ["Creation time", moment(info.ctime)],
    ["Modification time", moment(info.mtime)],
    ["Master node", info.master ?? null],
    ["Architecture (this node)", `${bits} (${machine})`],
    ["Tags", tags.length === 0 ? "(none)" : tags.join(", ")],
    ["Default hypervisor", info.default_hypervisor ?? null],
    ["Enabled hypervisors", enabled.join(", ")],
    ["Hypervisor parameters", texts(hvparams, write)],
    ["OS-specific hypervisor parameters", texts(object(info, "os_hvp"), write)],
    ["OS parameters", texts(object(info, "osparams"), write)],
    ["Hidden OSes", list(info, "hidden_os").join(", ")],
    ["Blacklisted OSes", list(info, "blacklisted_os").join(", ")],
    ["Cluster parameters", ordered(...clusterParameters(info, write))],
    ["Default node parameters", texts(object(info, "ndparams"), write)],
    ["Default instance parameters", texts(object(info, "beparams"), write)],
    ["Default nic parameters", texts(object(info, "nicparams"), write)],
    ["Default disk parameters", texts(object(info, "diskparams"), write)],
    ["Instance policy - limits for instances", clusterPolicyTree(object(info, "ipolicy"), write)],
    ["Data collectors", collectors(info)],
  );
}

/** Default search paths of our nodes, for an `/2/info` without them. */
const searchPaths = (folder: string): string =>
  ["/srv/ganeti", "/usr/local/lib/ganeti", "/usr/lib/ganeti", "/usr/share/ganeti"]
    .map((path) => `${path}/${folder}`)
    .join(", ");

function clusterParameters(info: JsonObject, write: Write): readonly Entry[] {
  const plain = (title: string, key: string): Entry => [title, info[key] ?? null];
  const number = (title: string, key: string): Entry => [title, write(info[key] ?? null)];
  const reserved = list(info, "reserved_lvs");
  return [
    number("candidate pool size", "candidate_pool_size"),
    number("maximal number of jobs running simultaneously", "max_running_jobs"),
    number("maximal number of jobs simultaneously tracked by the scheduler", "max_tracked_jobs"),
    plain("mac prefix", "mac_prefix"),
    plain("master netdev", "master_netdev"),
    number("master netmask", "master_netmask"),
    plain("use external master IP address setup script", "use_external_mip_script"),
    plain("lvm volume group", "volume_group_name"),
    ["lvm reserved volumes", reserved.length === 0 ? "(none)" : reserved.join(", ")],
    plain("drbd usermode helper", "drbd_usermode_helper"),
    plain("file storage path", "file_storage_dir"),
    plain("shared file storage path", "shared_file_storage_dir"),
    plain("gluster storage path", "gluster_storage_dir"),
    plain("maintenance of node health", "maintain_node_health"),
    ["uid pool", formatUidPool((info.uid_pool ?? []) as UidPool)],
    ...allocatorEntries(info),
    plain("default instance allocator parameters", "default_iallocator_params"),
    number("primary ip version", "primary_ip_version"),
    plain("preallocation wipe disks", "prealloc_wipe_disks"),
    ["OS search path", searchPaths("os")],
    ["ExtStorage Providers search path", searchPaths("extstorage")],
    ["enabled disk templates", list(info, "enabled_disk_templates").join(", ")],
    plain("install image", "install_image"),
    plain("instance communication network", "instance_communication_network"),
    plain("zeroing image", "zeroing_image"),
    plain("compression tools", "compression_tools"),
    plain("enabled user shutdown", "enabled_user_shutdown"),
    plain("modify ssh setup", "modify_ssh_setup"),
    plain("ssh_key_type", "ssh_key_type"),
    plain("ssh_key_bits", "ssh_key_bits"),
  ];
}

/** By type of request if there are several allocators, or if the types differ. */
function allocatorEntries(info: JsonObject): readonly Entry[] {
  const byType = info.default_iallocators as
    | Readonly<Record<string, readonly string[]>>
    | undefined;
  const lists = Object.values(byType ?? {}).map((names) => names.join(", "));
  const title = "default instance allocator";
  const several = new Set(lists).size > 1 || lists.some((names) => names.includes(", "));
  if (byType === undefined || !several) return [[title, info.default_iallocator ?? null]];
  const tree = Object.entries(byType).map(([type, names]) => [type, names.join(", ")] as const);
  return [[title, Object.fromEntries(tree)]];
}

/** All values as texts, including nested ones. */
function texts(values: JsonObject, write: Write): Tree {
  return Object.fromEntries(
    Object.entries(values).map(([key, value = null]): [string, Tree] => [
      key,
      isJsonObject(value) ? texts(value, write) : write(value),
    ]),
  );
}

function collectors(info: JsonObject): Tree {
  const active = object(info, "enabled_data_collectors");
  const interval = object(info, "data_collector_interval");
  return Object.fromEntries(
    Object.entries(active).map(([name, value = null]) => [
      name,
      ordered(["active", value], ["interval", `${(Number(interval[name]) / 1e6).toFixed(3)}s`]),
    ]),
  );
}

const object = (info: JsonObject, key: string): JsonObject => {
  const value = info[key];
  return isJsonObject(value) ? value : {};
};

const list = (info: JsonObject, key: string): readonly string[] => {
  const value = info[key];
  return Array.isArray(value) ? value.map(String) : [];
};

const moment = (seconds: Json | undefined): string =>
  typeof seconds === "number" ? timeText(seconds) : "N/A";
