/** Options about nodes. */
import type { Option } from "../command.js";
import { flag, integer, number, text, yesNo } from "./kinds.js";

export const secondaryIp = text("secondary-ip", "ADDRESS", "Address of the node for replication", {
  short: "s",
});
export const masterCapable = yesNo(
  "master-capable",
  "Whether the node can become a master candidate",
);
export const vmCapable = yesNo("vm-capable", "Whether the node can hold instances");
export const autoPromote = flag(
  "auto-promote",
  "Promote other nodes if too few master candidates are left",
);
export const targetNode = text("target-node", "NODE", "Target node of the instances", {
  short: "n",
  completes: "node",
});
export const ignoreConsistency = flag("ignore-consistency", "Ignore whether disks are in sync");
export const earlyRelease = flag(
  "early-release",
  "Release the locks of secondary nodes before disks are in sync",
);
export const oobTimeout = integer("oob-timeout", "Timeout of the out-of-band helper (default 60)", {
  placeholder: "SECONDS",
});
export const powerDelay = number(
  "power-delay",
  "SECONDS",
  "Delay between switching nodes on (default 2.0)",
);
export const showMachineNames = flag(
  "show-machine-names",
  "Begin every line of output with the node's name",
  { short: "M" },
);

/** Roles and capabilities of a node, for `modify`. */
export const roles: readonly Option[] = [
  yesNo("master-candidate", "Whether the node keeps a copy of the configuration", { short: "C" }),
  yesNo("drained", "Whether the node takes no new instances", { short: "D" }),
  yesNo("offline", "Whether the node is offline and not contacted", { short: "O" }),
  masterCapable,
  vmCapable,
];

export const nodePowered = yesNo("node-powered", "Record the node as switched on or off");
