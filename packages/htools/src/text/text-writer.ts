/** Writes the present state of a cluster in the text format, with all columns. */
import type {
  GroupData,
  InstanceData,
  InstancePolicy,
  InstanceSpec,
  NodeData,
} from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import { defaultPolicy } from "../model/default-policy.js";
import { instanceFigures, type NodeFigures, nodeFigures } from "./node-figures.js";
import { formatFixed, formatPositional, formatShow } from "./number-format.js";

/**
 * The inverse of `readClusterText` for a cluster just loaded. Free disk and spindles follow what was
 * placed since; free memory stays as reported. A cluster without a policy of its own gets the default.
 * Source: Ganeti, HTools/Backend/Text.hs, `serializeCluster`.
 */
export function writeClusterText(cluster: Cluster): string {
  const { groups, nodes, tags, policy } = cluster.data;
  const nodeName = (index: number) => nodes[index]?.name ?? "";
  const sections = [
    groups.map(groupLine),
    cluster.shownNodes.map((index) =>
      nodeLine(nodes[index] as NodeData, groups, nodeFigures(cluster, index)),
    ),
    cluster.shownInstances.map((index) => {
      const { data, primary, secondary } = instanceFigures(cluster, index);
      return instanceLine(data, nodeName(primary), nodeName(secondary));
    }),
    tags,
    [
      policyLine("", policy ?? defaultPolicy),
      ...groups.map((group) => policyLine(group.name, group.policy)),
    ],
  ];
  return sections.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

const groupLine = ({ name, uuid, allocationPolicy, tags, networks }: GroupData) =>
  [name, uuid, allocationPolicy, tags, networks].join("|");

const nodeLine = (node: NodeData, groups: readonly GroupData[], figures: NodeFigures) =>
  [
    node.name,
    formatFixed(figures.memoryTotalMib, 0),
    figures.memoryNodeMib,
    figures.memoryFreeMib,
    formatFixed(figures.diskTotalMib, 0),
    figures.diskFreeMib,
    formatFixed(figures.cpuTotal, 0),
    roleOf(node, figures),
    groups[node.groupIndex]?.uuid,
    figures.spindleTotal,
    node.tags,
    flag(node.exclusiveStorage),
    figures.spindlesFree,
    node.cpuNode,
    formatPositional(node.cpuSpeed),
  ].join("|");

function roleOf({ master }: NodeData, { offline }: NodeFigures): string {
  if (offline) return "Y";
  return master ? "M" : "N";
}

const instanceLine = (instance: InstanceData, primaryName: string, secondaryName: string) =>
  [
    instance.name,
    instance.memoryMib,
    instance.diskMib,
    instance.vcpus,
    instance.status,
    flag(instance.autoBalance),
    primaryName,
    secondaryName,
    instance.diskTemplate,
    instance.tags,
    instance.spindleUse,
    totalSpindles(instance) ?? "-",
    flag(instance.forthcoming),
  ].join("|");

/** Undefined if any disk has no number. */
const totalSpindles = ({ disks }: InstanceData) =>
  disks.reduce<number | undefined>(
    (total, { spindles }) =>
      total === undefined || spindles === undefined ? undefined : total + spindles,
    0,
  );

const policyLine = (owner: string, policy: InstancePolicy) =>
  [
    owner,
    specText(policy.std),
    policy.minMax.map(({ min, max }) => `${specText(min)};${specText(max)}`).join(";"),
    policy.diskTemplates,
    formatShow(policy.vcpuRatio),
    formatShow(policy.spindleRatio),
  ].join("|");

const specText = (spec: InstanceSpec) =>
  [
    spec.memoryMib,
    spec.cpuCount,
    spec.diskMib,
    spec.diskCount,
    spec.nicCount,
    spec.spindleUse,
  ].join(",");

const flag = (set: boolean) => (set ? "Y" : "N");
