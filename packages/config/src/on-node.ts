/** Instances and disks as sent to nodes: with filled parameters, so that a node needs nothing else. */
import type {
  Console,
  ConsoleRequest,
  DiskOnNode,
  HypervisorOnNode,
  InstanceOnNode,
  NicOnNode,
  StoredObject,
} from "@ganeti-ts/node-calls";
import type {
  DiskObject,
  Diskparams,
  DiskType,
  GroupObject,
  Json,
  JsonObject,
  NicObject,
  NodeObject,
  NodeUuid,
  RealInstance,
} from "@ganeti-ts/protocol";
import {
  filledBeparams,
  filledDiskparams,
  filledHvparams,
  filledNicparams,
  filledOsparams,
} from "./filling.js";
import { realDisksOf } from "./instance-parts.js";
import { type Snapshot, secondaryNodes } from "./snapshot.js";

interface Overrides {
  /** Replaces the disks of the configuration. */
  readonly disks?: readonly DiskOnNode[];
  /** For a single start only. */
  readonly hvparams?: Readonly<Record<string, Json>>;
  readonly beparams?: Readonly<Record<string, Json>>;
  /** For a single run of the OS scripts only. */
  readonly osparams?: Readonly<Record<string, Json>>;
}

/** An instance as its node is told about it: with all parameters filled in. */
export function instanceOnNode(
  now: Snapshot,
  instance: RealInstance,
  { disks, hvparams, beparams, osparams }: Overrides = {},
): InstanceOnNode {
  const os = filledOsparams(now, instance);
  return {
    uuid: instance.uuid,
    name: instance.name,
    os: instance.os,
    hypervisor: instance.hypervisor,
    hvparams: { ...filledHvparams(now, instance), ...hvparams },
    beparams: { ...filledBeparams(now, instance), ...beparams },
    osparams: { ...os.public, ...osparams },
    osparams_private: os.private,
    nics: instance.nics.map((nic) => nicOnNode(now, instance, nic)),
    disks: disks ?? realDisksOf(now, instance).map((disk) => diskOnNode(now, instance, disk)),
    network_port: instance.network_port,
    primary_node: instance.primary_node,
    secondary_nodes: secondaryNodes(now, instance),
    admin_state: instance.admin_state,
    admin_state_source: instance.admin_state_source,
    disks_active: instance.disks_active,
    forthcoming: instance.forthcoming,
    ...stampsOf(instance),
    tags: instance.tags,
  };
}

/** A NIC with its filled parameters and its network. */
export function nicOnNode(
  now: Snapshot,
  instance: Pick<RealInstance, "primary_node">,
  nic: NicObject,
): NicOnNode {
  const network = nic.network === undefined ? undefined : now.find("network", nic.network);
  return {
    ...nic,
    nicparams: filledNicparams(now, instance, nic),
    ...(network && { netinfo: network as unknown as JsonObject }),
  };
}

const stampsOf = ({
  serial_no,
  ctime,
  mtime,
}: Pick<DiskObject, "serial_no" | "ctime" | "mtime">) => ({
  serial_no,
  ctime,
  mtime,
});

/**
 * With the parameters of its type, as set by the group of the instance's primary. The back end adds the
 * `ends` of a mirror, because it has the addresses of the nodes.
 */
export function diskOnNode(
  now: Snapshot,
  instance: Pick<RealInstance, "primary_node">,
  disk: DiskObject | DiskObject["children"][number],
): DiskOnNode {
  const { dev_type: type = "plain", children = [] } = disk;
  const params = paramsOnNode(now, groupOf(now, instance.primary_node));
  return {
    children: children.map((child, index) =>
      sentOf(child, index === 0 ? params.data : params.meta),
    ),
    ...sentOf(disk, params.ofType(type)),
  };
}

type Params = Readonly<Record<string, Json>>;

/** Parameters of disks of one group, by type, and those of the parts of a mirror. */
interface ParamsOnNode {
  ofType(type: DiskType): Params;
  readonly data: Params;
  readonly meta: Params;
}

/** By the parameters of the cluster and of the group: the same for nearly all disks. */
const knownParams = new WeakMap<object, WeakMap<object, ParamsOnNode>>();
const noGroup = {};

function paramsOnNode(now: Snapshot, group: GroupObject | undefined): ParamsOnNode {
  const ofCluster = knownParams.get(now.cluster.diskparams) ?? new WeakMap<object, ParamsOnNode>();
  knownParams.set(now.cluster.diskparams, ofCluster);
  const key = group?.diskparams ?? noGroup;
  const known = ofCluster.get(key);
  if (known !== undefined) return known;
  const filled = filledDiskparams(now, group);
  const byType = new Map<string, Params>();
  const made: ParamsOnNode = {
    ofType(type) {
      const params = byType.get(type) ?? diskParamsOnNode(type, filled);
      byType.set(type, params);
      return params;
    },
    data: mirrorPartParams("data", filled),
    meta: mirrorPartParams("meta", filled),
  };
  ofCluster.set(key, made);
  return made;
}

const isEmpty = (object: object | undefined): boolean => {
  for (const _ in object) return false;
  return true;
};

const sentOf = (
  disk: DiskObject | DiskObject["children"][number],
  typeParams: Readonly<Record<string, Json>>,
): DiskOnNode => ({
  uuid: disk.uuid,
  dev_type: disk.dev_type ?? "plain",
  logical_id: disk.logical_id ?? [],
  size: disk.size ?? 0,
  mode: disk.mode,
  iv_name: disk.iv_name,
  name: disk.name,
  nodes: disk.nodes,
  spindles: disk.spindles,
  forthcoming: disk.forthcoming,
  params: isEmpty(disk.params) ? typeParams : { ...typeParams, ...disk.params },
  ...stampsOf(disk),
});

/** The group of a node; undefined if the node does not exist. */
export function groupOf(now: Snapshot, node: NodeUuid | undefined): GroupObject | undefined {
  const group = node === undefined ? undefined : now.node(node)?.group;
  return group === undefined ? undefined : now.group(group);
}

/** A hypervisor with the cluster's parameters, for calls that are not about one instance. */
export const hypervisorOnNode = (now: Snapshot, name: string): HypervisorOnNode => ({
  name,
  hvparams: now.cluster.hvparams[name] ?? {},
});

/** The data a node needs to describe an instance's console; undefined without its node. */
export function consoleRequest(now: Snapshot, instance: RealInstance): ConsoleRequest | undefined {
  const node = now.node(instance.primary_node);
  const group = node && now.group(node.group);
  if (node === undefined || group === undefined) return undefined;
  return {
    instance: stored(instance),
    node: stored(node),
    group: stored(group),
    hvparams: filledHvparams(now, instance),
    beparams: { ...filledBeparams(now, instance) },
  };
}

/** Objects of the configuration are JSON, which their types do not express. */
const stored = (object: RealInstance | NodeObject | GroupObject): StoredObject =>
  object as unknown as StoredObject;

/** A console in results of operations and queries: the command as one line. */
export function shownConsole({ command, ...access }: Console): JsonObject {
  const shown = Object.entries({ ...access, command: command?.join(" ") });
  return Object.fromEntries(
    shown.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** Disk parameters by the names that nodes use, derived from those of the disk template. */
type DeviceParams = Readonly<Record<string, Json>>;

/** By disk type: each parameter of the device with its name in the template. */
const namesByType: Readonly<Record<DiskType, Readonly<Record<string, string>>>> = {
  plain: { stripes: "stripes" },
  drbd: {
    "resync-rate": "resync-rate",
    "disabled-barriers": "disk-barriers",
    "disable-meta-flush": "meta-barriers",
    "default-metavg": "metavg",
    "disk-custom": "disk-custom",
    "net-custom": "net-custom",
    protocol: "protocol",
    "dynamic-resync": "dynamic-resync",
    "c-plan-ahead": "c-plan-ahead",
    "c-fill-target": "c-fill-target",
    "c-delay-target": "c-delay-target",
    "c-max-rate": "c-max-rate",
    "c-min-rate": "c-min-rate",
  },
  file: {},
  sharedfile: {},
  blockdev: {},
  rbd: { pool: "pool", access: "access" },
  ext: { access: "access" },
  gluster: { access: "access", gluster_host: "host", gluster_port: "port", volume: "volume" },
};

/** Parameters of a disk of that type. Source: Ganeti, `ComputeLDParams`. */
function diskParamsOnNode(type: DiskType, filled: Diskparams): DeviceParams {
  const template: DeviceParams = filled[type] ?? {};
  return Object.fromEntries(
    Object.entries(namesByType[type]).map(([device, name]) => [device, template[name] ?? null]),
  );
}

/** Parameters of the data or metadata volume of a mirror. */
const mirrorPartParams = (part: "data" | "meta", filled: Diskparams): DeviceParams => ({
  stripes: filled.drbd?.[`${part}-stripes`] ?? 1,
});
