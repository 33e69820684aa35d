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
import { iallocator, ignoreIpolicy, nodeGroup } from "./shared.js";

/** Whether the name resolves and its address is free; of the two forms of each the last one counts. */
export const nameCheckOptions: readonly Option[] = [
  { name: "ip-check", type: "flag", help: "Refuse an address that answers already (default)" },
  { name: "no-ip-check", type: "flag", help: "Accept an address that answers already" },
  { name: "name-check", type: "flag", help: "Resolve the name (default)" },
  { name: "no-name-check", type: "flag", help: "Take the name as it is, without resolving it" },
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
    help: "Hypervisor, and parameters of it: hypervisor:option=value,option=value,…",
  },
  iallocator,
  netOption,
  placementOption,
  nodeGroup,
  ...nameCheckOptions.slice(0, 2),
  noConflictsCheckOption,
  ...nameCheckOptions.slice(2),
  { name: "no-nics", type: "flag", help: "Without network interfaces" },
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
    help: "Besides --os-size, a second disk of this size",
  },
  {
    name: "opportunistic-locking",
    type: "flag",
    help: "Choose among the nodes that are free now, instead of waiting for busy ones",
  },
  { name: "tags", type: "text", help: "Tags of the instance, separated by commas" },
];

const timeouts: readonly Option[] = [
  {
    name: "helper-startup-timeout",
    type: "integer",
    help: "Seconds in which the helper machine must start",
  },
  {
    name: "helper-shutdown-timeout",
    type: "integer",
    help: "Seconds in which the helper machine must stop",
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
  {
    name: "forthcoming",
    type: "flag",
    help: "Only hold the name and the resources; the instance is made later",
  },
  { name: "commit", type: "flag", help: "Make the instance of what was held for it" },
  { name: "no-start", type: "flag", help: "Leave the instance stopped" },
  osOption,
  forceVariantOption,
  { name: "no-install", type: "flag", help: "Leave the disks empty, and the instance stopped" },
  ignoreIpolicy,
  {
    name: "communication",
    short: "c",
    type: "yes-no",
    help: "Whether the instance has a network interface to talk to its node",
  },
  ...timeouts,
  {
    name: "explain",
    type: "flag",
    help: "Show where the instance would go and why; changes nothing",
  },
];

/** Further options of `gnt-backup import`. */
export const importOptions: readonly Option[] = [
  {
    name: "identify-defaults",
    type: "flag",
    help: "Let saved parameters that equal the defaults of the cluster follow those",
  },
  { name: "src-dir", type: "text", placeholder: "<dir>", help: "Where the export is" },
  {
    name: "src-node",
    type: "text",
    placeholder: "<node>",
    help: "The node that has the export",
    completes: "node",
  },
  { name: "compress", type: "text", help: "How data are compressed on their way" },
  ignoreIpolicy,
  ...timeouts,
];
