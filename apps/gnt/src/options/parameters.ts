/** Options for parameters of clusters, groups, nodes and their resources. */
import type { Option } from "../command.js";
import { idKeyValues, keyValues } from "./kinds.js";

export const backendParameters = keyValues(
  "backend-parameters",
  "K=V,…",
  "Backend parameters, such as memory and virtual CPUs: maxmem=2g,vcpus=2",
  { short: "B" },
);
export const hypervisorParameters = idKeyValues(
  "hypervisor-parameters",
  "HYPERVISOR:K=V,…",
  "Parameters of a hypervisor",
  { short: "H", repeatable: true },
);
export const nicParameters = keyValues(
  "nic-parameters",
  "K=V,…",
  "Parameters of network interfaces: mode=bridged,link=br0,vlan=",
  { short: "N" },
);
export const nodeParameters = keyValues(
  "node-parameters",
  "K=V,…",
  "Parameters of nodes: spindle_count=2,ssh_port=22",
);
export const diskParameters = idKeyValues(
  "disk-parameters",
  "TEMPLATE:K=V,…",
  "Parameters of a disk template: drbd:metavg=fast",
  { short: "D", repeatable: true },
);
const hypervisorState = idKeyValues(
  "hypervisor-state",
  "HYPERVISOR:K=V,…",
  "Resources used by a hypervisor; recorded, not used yet",
  { repeatable: true },
);
const diskState = idKeyValues(
  "disk-state",
  "TYPE/NAME:K=V,…",
  "Resources of a storage unit; recorded, not used yet",
  { repeatable: true },
);

/** Recorded states of hypervisors and disks. */
export const states: readonly Option[] = [hypervisorState, diskState];
