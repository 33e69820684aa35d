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
import { flag, text } from "./kinds.js";
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
  {
    name: "hypervisor-parameters",
    short: "H",
    type: "id-key-values",
    placeholder: "HYPERVISOR",
    help: "Hypervisor and its parameters: hypervisor:option=value,option=value,…",
  },
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
  {
    name: "os-size",
    short: "s",
    type: "size",
    placeholder: "<size>",
    help: "One disk of this size, in MiB unless a unit follows",
  },
  {
    name: "swap-size",
    type: "size",
    placeholder: "<size>",
    help: "Size of a second disk, in addition to --os-size",
  },
  flag("opportunistic-locking", "Choose among unlocked nodes instead of waiting for locked ones"),
  { name: "tags", type: "text", help: "Tags of the instance, separated by commas" },
];

const timeouts: readonly Option[] = [
  {
    name: "helper-startup-timeout",
    type: "integer",
    help: "Timeout (s) for the start of the helper VM",
  },
  {
    name: "helper-shutdown-timeout",
    type: "integer",
    help: "Timeout (s) for the end of the helper VM",
  },
];

/** Further options of `gnt-instance add`. */
export const addOptions: readonly Option[] = [
  {
    name: "memory",
    short: "m",
    type: "size",
    placeholder: "<size>",
    help: "Memory, in MiB unless a unit follows: the short form of -B memory=…",
  },
  flag("forthcoming", "Only reserve the name and the resources; the instance is created later"),
  flag("commit", "Create the instance from its reservation"),
  flag("no-start", "Leave the instance stopped"),
  osOption,
  forceVariantOption,
  flag("no-install", "Leave the disks empty and the instance stopped"),
  ignoreIpolicy,
  {
    name: "communication",
    short: "c",
    type: "yes-no",
    help: "Whether the instance has a network interface to its node",
  },
  ...timeouts,
  flag("explain", "Show where the instance would go and why, without creating it"),
];

/** Further options of `gnt-backup import`. */
export const importOptions: readonly Option[] = [
  flag("identify-defaults", "Do not store parameters that equal the cluster's defaults"),
  text("src-dir", "<dir>", "Directory of the export"),
  {
    name: "src-node",
    type: "text",
    placeholder: "<node>",
    help: "Node with the export",
    completes: "node",
  },
  { name: "compress", type: "text", help: "Compression of the transferred data" },
  ignoreIpolicy,
  ...timeouts,
];
