/**
 * Options that describe a new instance, for `gnt-instance add`, `gnt-backup import` and capacity
 * queries.
 */
import type { Option } from "../command.js";
import {
  backendOption,
  diskOption,
  diskTemplateOption,
  fileDriverOption,
  fileStorageDirOption,
  forceVariantOption,
  netOption,
  noConflictsCheckOption,
  noWaitForSyncOption,
  osOption,
  osParameterOptions,
  placementOption,
} from "./instance.js";
import { flag, idKeyValues, integer, size, text, yesNo } from "./kinds.js";
import { iallocator, ignoreIpolicy, nodeGroup } from "./shared.js";

/** Whether the name resolves and its address is free; of the two forms of each the last one counts. */
export const nameCheckOptions: readonly Option[] = [
  flag("ip-check", "Refuse an IP address in use (default)"),
  flag("no-ip-check", "Do not check whether the IP address is in use"),
  flag("name-check", "Resolve the name (default)"),
  flag("no-name-check", "Use the name without resolving it"),
];

/** Mark C of the table of commands, without those of job submission. */
export const newInstanceOptions: readonly Option[] = [
  backendOption,
  diskOption,
  diskTemplateOption,
  fileStorageDirOption,
  fileDriverOption,
  idKeyValues(
    "hypervisor-parameters",
    "HYPERVISOR",
    "Hypervisor and its parameters: hypervisor:option=value,option=value,…",
    { short: "H" },
  ),
  iallocator,
  netOption,
  placementOption,
  nodeGroup,
  ...nameCheckOptions.slice(0, 2),
  noConflictsCheckOption,
  ...nameCheckOptions.slice(2),
  flag("no-nics", "Create no network interfaces"),
  noWaitForSyncOption,
  ...osParameterOptions,
  size("os-size", "<size>", "One disk of this size, in MiB unless a unit follows", { short: "s" }),
  size("swap-size", "<size>", "Size of a second disk, in addition to --os-size"),
  flag("opportunistic-locking", "Choose among unlocked nodes instead of waiting for locked ones"),
  text("tags", "TAGS", "Tags of the instance, separated by commas"),
];

const timeouts: readonly Option[] = [
  integer("helper-startup-timeout", "Timeout (s) for the start of the helper VM", {
    placeholder: "TIMEOUT",
  }),
  integer("helper-shutdown-timeout", "Timeout (s) for the end of the helper VM", {
    placeholder: "TIMEOUT",
  }),
];

/** Further options of `gnt-instance add`. */
export const addOptions: readonly Option[] = [
  size("memory", "<size>", "Memory, in MiB unless a unit follows: the short form of -B memory=…", {
    short: "m",
  }),
  flag("forthcoming", "Only reserve the name and the resources; the instance is created later"),
  flag("commit", "Create the instance from its reservation"),
  flag("no-start", "Leave the instance stopped"),
  osOption,
  forceVariantOption,
  flag("no-install", "Leave the disks empty and the instance stopped"),
  ignoreIpolicy,
  yesNo("communication", "Whether the instance has a network interface to its node", {
    short: "c",
  }),
  ...timeouts,
  flag("explain", "Show where the instance would go and why, without creating it"),
];

/** Further options of `gnt-backup import`. */
export const importOptions: readonly Option[] = [
  flag("identify-defaults", "Do not store parameters that equal the cluster's defaults"),
  text("src-dir", "<dir>", "Directory of the export"),
  text("src-node", "<node>", "Node with the export", { completes: "node" }),
  text("compress", "COMPRESS", "Compression of the transferred data"),
  ignoreIpolicy,
  ...timeouts,
];
