/** Query fields of a node group. */
import { filledGroupNdparams, groupPolicy, type Snapshot } from "@ganeti-ts/config";
import { compareNaturally, type GroupObject, type InstanceObject } from "@ganeti-ts/protocol";
import { commonFields } from "./common-fields.js";
import { type Field, field } from "./field.js";
import { instanceLabel } from "./instance-fields.js";
import { nodeParameterFields } from "./parameter-fields.js";

/** Instances whose primary node is in the group. */
const instancesOfGroup = (now: Snapshot, { uuid }: GroupObject): InstanceObject[] =>
  now.nodesOfGroup(uuid).flatMap((node) => now.instancesOfNode(node.uuid).primary);

/** Query fields of node groups. */
export const groupFields: readonly Field<GroupObject>[] = [
  field(
    ["alloc_policy", "AllocPolicy", "text", "Allocation policy for group"],
    ({ alloc_policy }) => alloc_policy,
  ),
  field(
    ["custom_diskparams", "CustomDiskParameters", "other", "Custom disk parameters"],
    ({ diskparams }) => diskparams,
  ),
  field(
    ["custom_ipolicy", "CustomInstancePolicy", "other", "Custom instance policy limitations"],
    ({ ipolicy }) => ipolicy,
  ),
  field(
    ["custom_ndparams", "CustomNDParams", "other", "Custom node parameters"],
    ({ ndparams }) => ndparams,
  ),
  // By template only: a template that the group sets shows the group's parameters alone, although
  // nodes get them merged. Source: Ganeti, Config.hs, `getGroupDiskParams`.
  field(
    ["diskparams", "DiskParameters", "other", "Disk parameters (merged)"],
    ({ diskparams }, { cluster }) => ({ ...cluster.diskparams, ...diskparams }),
  ),
  field(
    ["ipolicy", "InstancePolicy", "other", "Instance policy limitations (merged)"],
    (group, now) => groupPolicy(now, group),
  ),
  field(["name", "Group", "text", "Group name"], ({ name }) => name),
  field(["ndparams", "NDParams", "other", "Node parameters"], (group, now) =>
    filledGroupNdparams(now, group),
  ),
  field(
    ["node_cnt", "Nodes", "number", "Number of nodes"],
    ({ uuid }, now) => now.nodesOfGroup(uuid).length,
  ),
  field(["node_list", "NodeList", "other", "List of nodes"], ({ uuid }, now) =>
    now.nodesOfGroup(uuid).map(({ name }) => name),
  ),
  field(
    ["pinst_cnt", "Instances", "number", "Number of primary instances"],
    (group, now) => instancesOfGroup(now, group).length,
  ),
  field(["pinst_list", "InstanceList", "other", "List of primary instances"], (group, now) =>
    instancesOfGroup(now, group).map(instanceLabel).sort(compareNaturally),
  ),
  ...nodeParameterFields<GroupObject>((group, now) => filledGroupNdparams(now, group)),
  ...commonFields<GroupObject>("Group"),
];
