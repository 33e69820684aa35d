/** Options about nodes. */
import type { Option } from "../command.js";

const yesNo = (name: string, help: string): Option => ({
  name,
  type: "yes-no",
  placeholder: "yes|no",
  help,
});

export const secondaryIp: Option = {
  name: "secondary-ip",
  short: "s",
  type: "text",
  placeholder: "ADDRESS",
  help: "The node's address for replication",
};
export const masterCapable = yesNo("master-capable", "It can become a master candidate");
export const vmCapable = yesNo("vm-capable", "It can hold instances");
export const autoPromote: Option = {
  name: "auto-promote",
  type: "flag",
  help: "Make other nodes master candidates where too few are left",
};
export const targetNode: Option = {
  name: "target-node",
  short: "n",
  type: "text",
  placeholder: "NODE",
  completes: "node",
  help: "The node that instances go to",
};
export const ignoreConsistency: Option = {
  name: "ignore-consistency",
  type: "flag",
  help: "Whether disks are in step or not",
};
export const earlyRelease: Option = {
  name: "early-release",
  type: "flag",
  help: "Free the locks of secondary nodes before disks are in step",
};
export const oobTimeout: Option = {
  name: "oob-timeout",
  type: "integer",
  placeholder: "SECONDS",
  help: "How long the out-of-band helper may take (60)",
};
export const powerDelay: Option = {
  name: "power-delay",
  type: "number",
  placeholder: "SECONDS",
  help: "Wait so long between switching nodes on (2.0)",
};
export const showMachineNames: Option = {
  name: "show-machine-names",
  short: "M",
  type: "flag",
  help: "Begin every line of output with the node's name",
};

/** Roles and capabilities of a node, for `modify`. */
export const roles: readonly Option[] = [
  { ...yesNo("master-candidate", "It keeps a copy of the configuration"), short: "C" },
  { ...yesNo("drained", "It takes no new instances"), short: "D" },
  { ...yesNo("offline", "Nobody speaks to it"), short: "O" },
  masterCapable,
  vmCapable,
];

export const nodePowered = yesNo("node-powered", "It is known to be switched on, or off");
