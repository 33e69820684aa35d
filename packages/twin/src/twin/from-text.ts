/** originOfText: a cluster described by the text format of `hbal -S` and `hscan`. */
import {
  type ConfigurationContent,
  defaultNdparams,
  initialConfiguration,
  newAddressPool,
  randomUuid,
} from "@ganeti-ts/config";
import { DataError, defaultPolicy, readClusterText } from "@ganeti-ts/htools";
import {
  type ClusterData,
  type ClusterPolicy,
  type DiskObject,
  type DiskTemplate,
  type GroupObject,
  type GroupPolicy,
  GroupUuid,
  type InstanceData,
  type InstanceObject,
  type InstancePolicy,
  type InstanceSpec,
  InstanceUuid,
  type NetworkObject,
  NetworkUuid,
  type NodeData,
  type NodeObject,
  type PolicySpec,
  randomHex,
  sameJson,
  usesNodeSpace,
} from "@ganeti-ts/protocol";
import { simulatedAddress } from "@ganeti-ts/simulated-nodes";
import { DiskMaker } from "./disk-maker.js";
import { intendedState } from "./intended-state.js";
import {
  type Figures,
  type MachineFigures,
  type Making,
  TwinError,
  type TwinOrigin,
} from "./origin.js";

/** @throws TwinError for a text that is not a cluster, or whose names are not unique */
export function originOfText(text: string, making: Making): TwinOrigin {
  const data = readText(text);
  checkNames("node group", data.groups);
  checkNames("node", data.nodes);
  checkNames("instance", data.instances);
  if (data.nodes.length === 0) throw new TwinError("the text has no nodes");
  return {
    content: contentOf(data, making),
    filters: [],
    figures: figuresOf(data),
    systems: [],
    remarks: remarksOn(data),
  };
}

/** The figures alone, for a configuration from another source. */
export const figuresOfText = (text: string): Figures => figuresOf(readText(text));

function readText(text: string): ClusterData {
  try {
    return readClusterText(text);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    throw new TwinError(error.message, { cause: error });
  }
}

function checkNames(kind: string, objects: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of objects) {
    if (seen.has(name)) throw new TwinError(`the text has two entries for the ${kind} ${name}`);
    seen.add(name);
  }
}

/** A node without any figures is offline; one that has some, and takes no instances, is drained. */
const isDead = ({ memoryTotalMib, diskTotalMib, cpuTotal }: NodeData): boolean =>
  memoryTotalMib === 0 && diskTotalMib === 0 && cpuTotal === 0;

/** The master's position. In the text, a master that is not vm-capable looks like an offline node. */
function masterOf({ nodes, instances }: ClusterData): { at: number; vmCapable: boolean } {
  const named = nodes.findIndex(({ master }) => master);
  if (named >= 0) return { at: named, vmCapable: true };
  const used = new Set(instances.flatMap(({ primary, secondary }) => [primary, secondary]));
  const unable = nodes.findIndex((node, at) => node.offline && isDead(node) && !used.has(at));
  if (unable >= 0) return { at: unable, vmCapable: false };
  const up = nodes.findIndex(({ offline }) => !offline);
  const at =
    up >= 0
      ? up
      : Math.max(
          0,
          nodes.findIndex((node) => !isDead(node)),
        );
  return { at, vmCapable: !isDead(nodes[at] as NodeData) };
}

function contentOf(data: ClusterData, making: Making): ConfigurationContent {
  const { random, now } = making;
  const master = masterOf(data);
  const templates = templatesOf(data);
  const policy = data.policy ?? defaultPolicy;
  const speaker = data.nodes[master.at] as NodeData;
  const exclusive = data.nodes.every(({ exclusiveStorage }) => exclusiveStorage);
  const initial = initialConfiguration({
    clusterName: `cluster${domainOf(speaker.name)}`,
    nodes: [speaker, ...data.nodes.filter((_, at) => at !== master.at)].map((node, at) => ({
      name: node.name,
      primary_ip: simulatedAddress(at + 1),
      offline: node.offline && isDead(node) && node !== speaker,
      drained: node.offline && !isDead(node),
      vm_capable: node !== speaker || master.vmCapable,
    })),
    hypervisors: ["fake"],
    diskTemplates: templates,
    cluster: {
      tags: data.tags,
      ipolicy: storedPolicy(policy),
      ndparams: { ...defaultNdparams, exclusive_storage: exclusive },
      enabled_user_shutdown: data.instances.some(({ status }) => status === "USER_down"),
      // Simulated nodes have no use for it.
      modify_ssh_setup: false,
    },
    ...making,
  });
  const groups = data.groups.map((group) => groupOf(group, policy, now));
  const byName = new Map(initial.nodes.map((node) => [node.name, node]));
  const nodes = data.nodes.map((node) => ({
    ...(byName.get(node.name) as NodeObject),
    group: GroupUuid.parse(data.groups[node.groupIndex]?.uuid),
    ndparams: ndparamsOf(node, exclusive),
    tags: node.tags,
  }));
  const maker = new DiskMaker(initial.cluster, random, now);
  const disks: DiskObject[] = [];
  const instances = data.instances.map((instance) => {
    const own = maker.disksOf(...disksOf(instance, nodes));
    disks.push(...own);
    return instanceOf(instance, { own, nodes, policy, ...making });
  });
  const cluster = { ...initial.cluster, highest_used_port: maker.highestPort };
  return { ...initial, cluster, groups, nodes, instances, disks, networks: networksOf(data, now) };
}

const domainOf = (name: string): string =>
  name.includes(".") ? name.slice(name.indexOf(".")) : ".example.com";

/**
 * Enabled templates. Those of the storage whose space the text contains, volume groups or files, come first: for requests
 * that name no template, such as evacuations, allocators get the space of the first one. The other storage comes last.
 */
function templatesOf({ policy = defaultPolicy, groups, instances, nodes }: ClusterData) {
  const used = new Set<DiskTemplate>(instances.map(({ diskTemplate }) => diskTemplate));
  const allowed = [policy, ...groups.map((group) => group.policy)];
  const all = new Set<DiskTemplate>([...allowed.flatMap((one) => one.diskTemplates), ...used]);
  const hasSpace = nodes.some(({ diskTotalMib }) => diskTotalMib > 0);
  const hasSpindles = nodes.some(({ exclusiveStorage }) => exclusiveStorage);
  if (hasSpindles || (hasSpace && ![...all].some(usesNodeSpace))) all.add("plain");
  const inFiles = used.has("file") && !used.has("drbd") && !used.has("plain");
  const rank = (template: DiskTemplate) => {
    if (!usesNodeSpace(template)) return 1;
    return inFiles === (template === "file") ? 0 : 2;
  };
  return [...all].sort((a, b) => rank(a) - rank(b));
}

const storedSpec = (spec: InstanceSpec): PolicySpec => ({
  "memory-size": spec.memoryMib,
  "cpu-count": spec.cpuCount,
  "disk-size": spec.diskMib,
  "disk-count": spec.diskCount,
  "nic-count": spec.nicCount,
  "spindle-use": spec.spindleUse,
});

const storedPolicy = (policy: InstancePolicy): ClusterPolicy => ({
  minmax: policy.minMax.map(({ min, max }) => ({ min: storedSpec(min), max: storedSpec(max) })),
  std: storedSpec(policy.std),
  "disk-templates": policy.diskTemplates,
  "vcpu-ratio": policy.vcpuRatio,
  "spindle-ratio": policy.spindleRatio,
});

/** The values in which a group's policy differs from the cluster's. */
function ownPolicy(policy: InstancePolicy, ofCluster: InstancePolicy): GroupPolicy {
  const { std: _, ...values } = storedPolicy(policy);
  const common: Readonly<Record<string, unknown>> = { ...storedPolicy(ofCluster) };
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => !sameJson(value, common[key] as never)),
  );
}

function groupOf(
  { name, uuid, allocationPolicy, networks, tags, policy }: ClusterData["groups"][number],
  ofCluster: InstancePolicy,
  now: number,
): GroupObject {
  return {
    uuid: GroupUuid.parse(uuid),
    name,
    alloc_policy: allocationPolicy,
    ndparams: {},
    ipolicy: ownPolicy(policy, ofCluster),
    diskparams: {},
    networks: Object.fromEntries(
      networks.map((network) => [network, { mode: "bridged", link: "xen-br0", vlan: "" }]),
    ),
    tags,
    ...stamps(now),
  };
}

const stamps = (now: number) => ({ serial_no: 1, ctime: now, mtime: now });

const ndparamsOf = (node: NodeData, exclusive: boolean): NodeObject["ndparams"] => ({
  ...(!node.exclusiveStorage && node.spindleTotal !== defaultNdparams.spindle_count
    ? { spindle_count: node.spindleTotal }
    : {}),
  ...(node.exclusiveStorage === exclusive ? {} : { exclusive_storage: node.exclusiveStorage }),
  ...(node.cpuSpeed === 1 ? {} : { cpu_speed: node.cpuSpeed }),
});

/** Networks of the groups, of which the text contains only the UUIDs. */
function networksOf({ groups }: ClusterData, now: number): NetworkObject[] {
  const uuids = [...new Set(groups.flatMap(({ networks }) => networks))];
  return uuids.map((uuid, at) => {
    const network = `10.${(at >> 8) & 255}.${at & 255}.0/24`;
    return {
      uuid: NetworkUuid.parse(uuid),
      name: `network${at + 1}`,
      network,
      ...newAddressPool(network),
      tags: [],
      ...stamps(now),
    };
  });
}

/** One disk for each instance, because the text contains only the sum of its disks. */
function disksOf(
  instance: InstanceData,
  nodes: readonly NodeObject[],
): Parameters<DiskMaker["disksOf"]> {
  const { diskTemplate: template, diskMib, disks, forthcoming } = instance;
  const primary = nodes[instance.primary]?.uuid as NodeObject["uuid"];
  const secondary = nodes[instance.secondary]?.uuid;
  const sizeMib = template === "drbd" ? Math.max(0, diskMib - 128) : diskMib;
  return [
    { name: instance.name, template, primary, secondary, forthcoming },
    [{ sizeMib, spindles: disks[0]?.spindles }],
  ];
}

interface InstanceParts extends Making {
  readonly own: readonly DiskObject[];
  readonly nodes: readonly NodeObject[];
  readonly policy: InstancePolicy;
}

/** Minimum and maximum memory are equal, because the text contains one value. */
function instanceOf(
  instance: InstanceData,
  { own, nodes, policy, random, now }: InstanceParts,
): InstanceObject {
  const nicCount = Math.max(1, policy.std.nicCount);
  return {
    uuid: InstanceUuid.parse(randomUuid(random)),
    name: instance.name,
    primary_node: nodes[instance.primary]?.uuid as NodeObject["uuid"],
    os: "noop+default",
    hypervisor: "fake",
    hvparams: {},
    beparams: {
      maxmem: instance.memoryMib,
      minmem: instance.memoryMib,
      vcpus: instance.vcpus,
      auto_balance: instance.autoBalance,
      spindle_use: instance.spindleUse,
    },
    osparams: {},
    osparams_private: {},
    ...intendedState(instance.status),
    nics: Array.from({ length: nicCount }, () => ({
      uuid: randomUuid(random),
      mac: `aa:00:${(randomHex(random, 4).match(/../g) ?? []).join(":")}`,
      nicparams: {},
    })),
    disks: own.map(({ uuid }) => uuid),
    ...(instance.forthcoming ? { forthcoming: true as const } : {}),
    tags: instance.tags,
    ...stamps(now),
  } as InstanceObject;
}

function figuresOf({ nodes, instances }: ClusterData): Figures {
  const live = nodes.filter((node) => !(node.offline && isDead(node)));
  return {
    machines: new Map(live.map((node) => [node.name, machineOf(node)])),
    instances: new Map(
      instances
        .filter(({ forthcoming }) => !forthcoming)
        .map(({ name, status, memoryMib, vcpus }) => [name, { status, memoryMib, vcpus }]),
    ),
  };
}

const machineOf = (node: NodeData): MachineFigures => ({
  memoryTotalMib: node.memoryTotalMib,
  memoryNodeMib: node.memoryNodeMib,
  memoryFreeMib: node.memoryFreeMib,
  cpuTotal: node.cpuTotal,
  cpuNode: node.cpuNode,
  diskTotalMib: node.diskTotalMib,
  diskFreeMib: node.diskFreeMib,
  ...(node.exclusiveStorage && { spindleTotal: node.spindleTotal, spindleFree: node.spindleFree }),
});

function remarksOn({ nodes, instances }: ClusterData): string[] {
  const remarks: string[] = [];
  const onSilent = instances.filter(
    ({ status, primary }) => status === "ERROR_nodedown" && !isDead(nodes[primary] as NodeData),
  );
  if (onSilent.length > 0) {
    remarks.push(
      `${onSilent.length} instances of nodes that did not answer are shown as ERROR_down: the text has figures of these nodes`,
    );
  }
  return remarks;
}
