/** Output of `-v`: a summary of the request, and with a second `-v` of the cluster, as parsed. */
import type {
  AllocatorRequest,
  ClusterData,
  GroupData,
  InstanceData,
  InstanceSpec,
  NodeData,
} from "@ganeti-ts/protocol";

/** One line about the request, and one per instance to be placed; all begin with `Received `. */
export function requestLines(request: AllocatorRequest, cluster: ClusterData): string {
  const placed = "wanted" in request ? request.wanted.map(({ instance }) => instance) : [];
  if (request.type === "allocate") placed.push(request.instance);
  return lines([
    `request: ${requestSummary(request, cluster)}`,
    ...placed.map((instance) => `instance: ${instanceSummary(instance)}`),
  ]);
}

/** A line for the cluster as a whole, then one per group, node and instance, in index order. */
export function clusterLines(cluster: ClusterData): string {
  const { groups, nodes, instances, tags, hypervisor } = cluster;
  const nodeName = (index: number) => nodes[index]?.name;
  return lines([
    join("cluster data: ", [
      countOf(groups.length, "group"),
      countOf(nodes.length, "node"),
      countOf(instances.length, "instance"),
      tagSummary(tags),
      hypervisor && `hypervisor ${hypervisor}`,
    ]),
    ...groups.map((group, index) => `group ${index}: ${groupSummary(group)}`),
    ...nodes.map((node, index) => `node ${index}: ${nodeSummary(node, groups)}`),
    ...instances.map((instance, index) => {
      const places = [instance.primary, instance.secondary].filter((node) => node >= 0);
      return `instance ${index}: ${instanceSummary(instance)}, on ${places.map(nodeName).join(" and ")}`;
    }),
  ]);
}

function requestSummary(
  request: AllocatorRequest,
  { groups, nodes, instances }: ClusterData,
): string {
  const named = (list: readonly { name: string }[], indices: readonly number[]) =>
    indices.map((index) => list[index]?.name).join(", ") || "none";
  const inGroup = (group: string | undefined) =>
    group === undefined ? "in any group" : `in group ${group}`;
  switch (request.type) {
    case "allocate":
      return join("allocate ", [
        `${request.instance.name} on ${countOf(request.requiredNodes, "node")}`,
        inGroup(request.groupName),
        request.restrictToNodes && `only on ${request.restrictToNodes.join(", ") || "no node"}`,
      ]);
    case "multi-allocate":
      return `allocate ${countOf(request.wanted.length, "instance")}, ${inGroup(request.groupName)}`;
    case "capacity":
      return join("count how many fit like ", [
        `${request.instance.name} on ${countOf(request.requiredNodes, "node")}`,
        inGroup(request.groupName),
        request.restrictToNodes && `only on ${request.restrictToNodes.join(", ") || "no node"}`,
        request.countMax >= 0 && `at most ${request.countMax}`,
      ]);
    case "allocate-secondary":
      return `allocate a secondary node for ${named(instances, [request.instanceIndex])}`;
    case "relocate":
      return `relocate ${named(instances, [request.instanceIndex])} from ${named(nodes, request.relocateFrom)}`;
    case "node-evacuate":
      return `evacuate (${request.mode}) ${named(instances, request.instanceIndices)}`;
    case "change-group": {
      const targets =
        request.targetGroups.length > 0 ? named(groups, request.targetGroups) : "any other group";
      return `move ${named(instances, request.instanceIndices)} to ${targets}`;
    }
    case "balance":
      return join("balance ", [
        request.groupName === undefined ? "the group" : `group ${request.groupName}`,
        request.movesMax >= 0 && `in at most ${countOf(request.movesMax, "move")}`,
        request.selectedIndices.length > 0 && `only ${named(instances, request.selectedIndices)}`,
        request.excludedIndices.length > 0 && `not ${named(instances, request.excludedIndices)}`,
      ]);
  }
}

function groupSummary({ name, uuid, allocationPolicy, tags, networks, policy }: GroupData): string {
  const { minMax, diskTemplates, vcpuRatio, spindleRatio } = policy;
  const bounds = minMax.map(({ min, max }) => `${specSummary(min)} to ${specSummary(max)}`);
  return join(`${name} (${uuid}), `, [
    allocationPolicy,
    tagSummary(tags),
    networkSummary(networks),
    `instances ${bounds.join(" or ") || "of any size"}`,
    `templates ${diskTemplates.join(" ")}`,
    `vcpu ratio ${vcpuRatio}`,
    `spindle ratio ${spindleRatio}`,
  ]);
}

const specSummary = (spec: InstanceSpec) =>
  `${spec.memoryMib} MiB/${countOf(spec.cpuCount, "vcpu")}/${spec.diskCount}x${spec.diskMib} MiB/${countOf(spec.spindleUse, "spindle")}`;

const nodeSummary = (node: NodeData, groups: readonly GroupData[]) =>
  join(`${node.name} in ${groups[node.groupIndex]?.name}, `, [
    node.offline && "offline",
    `memory ${node.memoryFreeMib} of ${node.memoryTotalMib} MiB free`,
    `${node.memoryNodeMib} MiB its own`,
    `disk ${node.diskFreeMib} of ${node.diskTotalMib} MiB free`,
    `${node.cpuTotal} cpus`,
    countOf(node.spindleTotal, "spindle"),
    node.exclusiveStorage && `${node.spindleFree} of them free (exclusive storage)`,
    tagSummary(node.tags),
  ]);

const instanceSummary = (instance: InstanceData) =>
  join(`${instance.name}, `, [
    instance.forthcoming && "forthcoming",
    instance.status,
    `memory ${instance.memoryMib} MiB`,
    countOf(instance.vcpus, "vcpu"),
    `${instance.diskTemplate} ${instance.diskMib} MiB`,
    `disks ${instance.disks.map(diskSummary).join(" + ") || "none"}`,
    `spindle use ${instance.spindleUse}`,
    tagSummary(instance.tags),
    networkSummary(instance.networks.filter((network) => network !== null)),
  ]);

const diskSummary = ({ sizeMib, spindles }: InstanceData["disks"][number]) =>
  spindles === undefined ? `${sizeMib} MiB` : `${sizeMib} MiB on ${countOf(spindles, "spindle")}`;

const tagSummary = (tags: readonly string[]) => tags.length > 0 && `tags ${tags.join(" ")}`;

const networkSummary = (networks: readonly string[]) =>
  networks.length > 0 && `networks ${networks.join(" ")}`;

const countOf = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

const join = (start: string, parts: readonly (string | false | undefined)[]) =>
  start + parts.filter(Boolean).join(", ");

/** A name may contain a line break; a blank in its place keeps every line beginning with `Received `. */
const lines = (texts: readonly string[]) =>
  texts.map((text) => `Received ${text.replace(/[\r\n]+/g, " ")}\n`).join("");
