/** Options for parameters of clusters, groups, nodes and their resources. */
import type { Option } from "../command.js";

export const backendParameters: Option = {
  name: "backend-parameters",
  short: "B",
  type: "key-values",
  placeholder: "K=V,…",
  help: "Backend parameters, such as memory and virtual CPUs: maxmem=2g,vcpus=2",
};
export const hypervisorParameters: Option = {
  name: "hypervisor-parameters",
  short: "H",
  type: "id-key-values",
  repeatable: true,
  placeholder: "HYPERVISOR:K=V,…",
  help: "Parameters of a hypervisor",
};
export const nicParameters: Option = {
  name: "nic-parameters",
  short: "N",
  type: "key-values",
  placeholder: "K=V,…",
  help: "Parameters of network interfaces: mode=bridged,link=br0,vlan=",
};
export const nodeParameters: Option = {
  name: "node-parameters",
  type: "key-values",
  placeholder: "K=V,…",
  help: "Parameters of nodes: spindle_count=2,ssh_port=22",
};
export const diskParameters: Option = {
  name: "disk-parameters",
  short: "D",
  type: "id-key-values",
  repeatable: true,
  placeholder: "TEMPLATE:K=V,…",
  help: "Parameters of a disk template: drbd:metavg=fast",
};
const hypervisorState: Option = {
  name: "hypervisor-state",
  type: "id-key-values",
  repeatable: true,
  placeholder: "HYPERVISOR:K=V,…",
  help: "Resources used by a hypervisor; recorded, not used yet",
};
const diskState: Option = {
  name: "disk-state",
  type: "id-key-values",
  repeatable: true,
  placeholder: "TYPE/NAME:K=V,…",
  help: "Resources of a storage unit; recorded, not used yet",
};

/** Recorded states of hypervisors and disks. */
export const states: readonly Option[] = [hypervisorState, diskState];
