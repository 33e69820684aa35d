/** Query fields of a node. */
import { filledNdparams, type Snapshot } from "@ganeti-ts/config";
import type { HypervisorFigures, NodeInformation, StorageSpace } from "@ganeti-ts/node-calls";
import { compareNaturally, type InstanceObject, type NodeObject } from "@ganeti-ts/protocol";
import type { FieldKind } from "@ganeti-ts/query";
import { commonFields } from "./common-fields.js";
import {
  type Field,
  field,
  noData,
  offline,
  optionalField,
  orAbsent,
  unavailable,
} from "./field.js";
import { instanceLabel } from "./instance-fields.js";
import type { LiveNeed } from "./live-data.js";
import { nodeParameterFields } from "./parameter-fields.js";

type NodeField = Field<NodeObject>;

/** The first match counts: master, candidate, drained, offline, regular. */
export function nodeRole(node: NodeObject, now: Snapshot): "M" | "C" | "D" | "O" | "R" {
  if (node.uuid === now.cluster.master_node) return "M";
  if (node.master_candidate) return "C";
  if (node.drained) return "D";
  return node.offline ? "O" : "R";
}

const plainFields: readonly NodeField[] = [
  field(["drained", "Drained", "bool", "Whether node is drained"], ({ drained }) => drained),
  field(
    ["master_candidate", "MasterC", "bool", "Whether node is a master candidate"],
    ({ master_candidate }) => master_candidate,
  ),
  field(
    ["master_capable", "MasterCapable", "bool", "Whether node can become a master candidate"],
    ({ master_capable }) => master_capable,
  ),
  field(["name", "Node", "text", "Node name"], ({ name }) => name, "hostname"),
  field(["offline", "Offline", "bool", "Whether node is marked offline"], (node) => node.offline),
  field(
    ["vm_capable", "VMCapable", "bool", "Whether node can host instances"],
    ({ vm_capable }) => vm_capable,
  ),
  field(["pip", "PrimaryIP", "text", "Primary IP address"], ({ primary_ip }) => primary_ip),
  field(["sip", "SecondaryIP", "text", "Secondary IP address"], ({ secondary_ip }) => secondary_ip),
  field(
    ["master", "IsMaster", "bool", "Whether node is master"],
    ({ uuid }, now) => uuid === now.cluster.master_node,
  ),
  optionalField(
    ["group", "Group", "text", "Node group"],
    "noData",
    ({ group }, now) => now.group(group)?.name,
  ),
  field(["group.uuid", "GroupUUID", "text", "UUID of node group"], ({ group }) => group),
  field(["ndparams", "NodeParameters", "other", "Merged node parameters"], (node, now) =>
    filledNdparams(now, node),
  ),
  field(
    ["custom_ndparams", "CustomNodeParameters", "other", "Custom node parameters"],
    ({ ndparams }) => ndparams,
  ),
  field(
    [
      "role",
      "Role",
      "text",
      'Node role; "M" for master, "C" for master candidate, "R" for regular, "D" for drained, "O" for offline',
    ],
    nodeRole,
  ),
  optionalField(
    ["powered", "Powered", "bool", "Whether node is thought to be powered on"],
    "unavailable",
    (node, now) => (filledNdparams(now, node).oob_program ? node.powered : undefined),
  ),
  {
    definition: {
      name: "hv_state",
      title: "HypervisorState",
      kind: "other",
      doc: "Hypervisor state",
    },
    entry: () => unavailable,
  },
  {
    definition: { name: "disk_state", title: "DiskState", kind: "other", doc: "Disk state" },
    entry: () => unavailable,
  },
];

const names = (instances: readonly InstanceObject[]): string[] =>
  instances.map(instanceLabel).sort(compareNaturally);

const instanceFieldsOfNode: readonly NodeField[] = [
  field(
    ["pinst_cnt", "Pinst", "number", "Number of instances with this node as primary"],
    ({ uuid }, now) => now.instancesOfNode(uuid).primary.length,
  ),
  field(
    ["sinst_cnt", "Sinst", "number", "Number of instances with this node as secondary"],
    ({ uuid }, now) => now.instancesOfNode(uuid).secondary.length,
  ),
  field(
    ["pinst_list", "PriInstances", "other", "List of instances with this node as primary"],
    ({ uuid }, now) => names(now.instancesOfNode(uuid).primary),
  ),
  field(
    ["sinst_list", "SecInstances", "other", "List of instances with this node as secondary"],
    ({ uuid }, now) => names(now.instancesOfNode(uuid).secondary),
  ),
];

/** A figure reported by the node itself. */
function figure(
  [name, title, kind, doc]: readonly [string, string, FieldKind, string],
  needs: LiveNeed,
  read: (said: NodeInformation) => string | number | null | undefined,
): NodeField {
  return {
    definition: { name, title, kind, doc },
    needs,
    entry: ({ uuid }, { live }) => {
      const said = live?.node(uuid);
      if (said === undefined) return noData;
      if (!said.ok) return said.offline ? offline : noData;
      return orAbsent(read(said.value), "noData");
    },
  };
}

const hypervisor =
  (read: (figures: HypervisorFigures) => number) =>
  ({ hypervisors }: NodeInformation) => {
    const [figures] = hypervisors ?? [];
    return figures && read(figures);
  };

/** Space of the first storage that is not a set of physical volumes … */
const space =
  (read: (unit: StorageSpace) => number | null) =>
  ({ storage }: NodeInformation) => {
    const unit = storage?.find(({ type }) => type !== "lvm-pv");
    return unit && read(unit);
  };

/** … or of these. */
const spindles =
  (read: (unit: StorageSpace) => number | null) =>
  ({ storage }: NodeInformation) => {
    const unit = storage?.find(({ type }) => type === "lvm-pv");
    return unit && read(unit);
  };

const liveFields: readonly NodeField[] = [
  figure(
    [
      "bootid",
      "BootID",
      "text",
      "Random UUID renewed for each system reboot, can be used for detecting reboots by tracking changes",
    ],
    "boot",
    ({ bootId }) => bootId,
  ),
  figure(
    ["cnodes", "CNodes", "number", "Number of NUMA domains on node (if exported by hypervisor)"],
    "hypervisor",
    hypervisor(({ cpuNodes }) => cpuNodes),
  ),
  figure(
    ["cnos", "CNOs", "number", "Number of logical processors used by the node OS (dom0 for Xen)"],
    "hypervisor",
    hypervisor(({ cpuNode }) => cpuNode),
  ),
  figure(
    [
      "csockets",
      "CSockets",
      "number",
      "Number of physical CPU sockets (if exported by hypervisor)",
    ],
    "hypervisor",
    hypervisor(({ cpuSockets }) => cpuSockets),
  ),
  figure(
    ["ctotal", "CTotal", "number", "Number of logical processors"],
    "hypervisor",
    hypervisor(({ cpuTotal }) => cpuTotal),
  ),
  figure(
    ["dfree", "DFree", "unit", "Available storage space on storage unit"],
    "storage",
    space(({ free }) => free),
  ),
  figure(
    [
      "dtotal",
      "DTotal",
      "unit",
      "Total storage space on storage unit for instance disk allocation",
    ],
    "storage",
    space(({ size }) => size),
  ),
  figure(
    ["spfree", "SpFree", "number", "Available spindles in volume group (exclusive storage only)"],
    "storage",
    spindles(({ free }) => free),
  ),
  figure(
    ["sptotal", "SpTotal", "number", "Total spindles in volume group (exclusive storage only)"],
    "storage",
    spindles(({ size }) => size),
  ),
  figure(
    ["mfree", "MFree", "unit", "Memory available for instance allocations"],
    "hypervisor",
    hypervisor(({ memoryFreeMib }) => memoryFreeMib),
  ),
  figure(
    ["mnode", "MNode", "unit", "Amount of memory used by node (dom0 for Xen)"],
    "hypervisor",
    hypervisor(({ memoryNodeMib }) => memoryNodeMib),
  ),
  figure(
    ["mtotal", "MTotal", "unit", "Total amount of memory of physical machine"],
    "hypervisor",
    hypervisor(({ memoryTotalMib }) => memoryTotalMib),
  ),
];

/** Query fields of nodes. */
export const nodeFields: readonly NodeField[] = [
  ...plainFields,
  ...instanceFieldsOfNode,
  ...liveFields,
  ...nodeParameterFields<NodeObject>((node, now) => filledNdparams(now, node)),
  ...commonFields<NodeObject>("Node"),
];
