/** contentOfRemote: a configuration made from the answers of a cluster's remote API. */
import {
  type ConfigurationContent,
  defaultNdparams,
  initialConfiguration,
  randomUuid,
} from "@ganeti-ts/config";
import type {
  ClusterObject,
  DiskObject,
  GroupObject,
  InstanceObject,
  Json,
  NetworkObject,
  NodeObject,
  NodeUuid,
  PartialNdparams,
  RapiGroup,
  RapiInstance,
  RapiNetwork,
  RapiNode,
} from "@ganeti-ts/protocol";
import { isJson, sameJson } from "@ganeti-ts/protocol";
import { DiskMaker } from "./disk-maker.js";
import { intendedState } from "./intended-state.js";
import { type Making, TwinError } from "./origin.js";
import type { RemoteCluster } from "./remote-cluster.js";

/**
 * Values that the remote API does not show are defaults: locations of disks, parameters of operating systems, and the
 * hypervisor of an instance, which is the cluster's first one. @throws TwinError for references to unknown objects
 */
export function contentOfRemote(remote: RemoteCluster, making: Making): ConfigurationContent {
  const { info } = remote;
  const master = remote.nodes.find(({ name }) => name === info.master);
  if (master === undefined) throw new TwinError(`the master node ${info.master} is not listed`);
  const initial = initialConfiguration({
    clusterName: info.name,
    nodes: [{ name: master.name, primary_ip: master.pip }],
    hypervisors: info.enabled_hypervisors,
    diskTemplates: info.enabled_disk_templates,
    cluster: clusterValues(remote),
    ...making,
  });
  const groups = remote.groups.map((group) => groupObject(group, remote.networks));
  const nodes = remote.nodes.map((node) => nodeObject(node, remote));
  const uuidOf = new Map(nodes.map(({ name, uuid }) => [name, uuid]));
  const maker = new DiskMaker(initial.cluster, making.random, making.now);
  const disks: DiskObject[] = [];
  const instances = remote.instances.map((instance) => {
    const own = disksOf(instance, maker, uuidOf);
    disks.push(...own);
    return instanceObject(instance, { own, uuidOf, info, making });
  });
  const ports = instances.map(({ network_port = 0 }) => network_port);
  return {
    ...initial,
    cluster: {
      ...initial.cluster,
      uuid: info.uuid,
      master_node: uuidOf.get(info.master) as NodeUuid,
      highest_used_port: ports.reduce((a, b) => Math.max(a, b), maker.highestPort),
    },
    groups,
    nodes,
    instances,
    disks,
    networks: remote.networks.map(networkObject),
  };
}

/** Keys of the cluster object that `/2/info` shows under the same name and in the same form. */
const sameKeys = [
  ...["master_netdev", "master_netmask", "use_external_mip_script", "mac_prefix"],
  ...["volume_group_name", "reserved_lvs", "drbd_usermode_helper", "file_storage_dir"],
  ...["shared_file_storage_dir", "gluster_storage_dir", "hvparams", "os_hvp", "beparams"],
  ...["osparams", "nicparams", "ndparams", "diskparams", "ipolicy", "candidate_pool_size"],
  ...["maintain_node_health", "uid_pool", "default_iallocator", "default_iallocator_params"],
  ...["default_iallocators", "hidden_os", "blacklisted_os", "prealloc_wipe_disks"],
  ...["max_running_jobs", "max_tracked_jobs", "install_image", "zeroing_image"],
  ...["instance_communication_network", "compression_tools", "enabled_user_shutdown"],
  ...["modify_ssh_setup", "ssh_key_type", "ssh_key_bits", "ctime", "mtime", "tags"],
] as const;

function clusterValues({ info }: RemoteCluster): Partial<ClusterObject> {
  const shown: Readonly<Record<string, unknown>> = { ...info };
  const values = sameKeys.flatMap((key) => {
    const value = shown[key];
    return value === undefined || value === null ? [] : [[key, value] as const];
  });
  return {
    ...(Object.fromEntries(values) as Partial<ClusterObject>),
    primary_ip_family: info.primary_ip_version === 6 ? 10 : 2,
    ...collectorsOf(info),
  };
}

function collectorsOf({
  enabled_data_collectors: active,
  data_collector_interval: interval,
}: RemoteCluster["info"]): Partial<ClusterObject> {
  if (active === undefined || interval === undefined) return {};
  const names = Object.keys(active).filter((name) => interval[name] !== undefined);
  return {
    data_collectors: Object.fromEntries(
      names.map((name) => [
        name,
        { active: active[name] as boolean, interval: interval[name] as number },
      ]),
    ),
  };
}

const stampsOf = ({
  serial_no,
  ctime,
  mtime,
}: Pick<RapiNode, "serial_no" | "ctime" | "mtime">) => ({
  serial_no: serial_no ?? 1,
  ctime: ctime ?? 0,
  mtime: mtime ?? 0,
});

function groupObject(group: RapiGroup, networks: readonly RapiNetwork[]): GroupObject {
  const connections = networks.flatMap(({ uuid, group_list }) =>
    group_list
      .filter(([name]) => name === group.name)
      .map(([, mode, link, vlan]) => [uuid, { mode, link, vlan }]),
  );
  return {
    uuid: group.uuid,
    name: group.name,
    alloc_policy: group.alloc_policy,
    ndparams: (group.custom_ndparams ?? {}) as GroupObject["ndparams"],
    ipolicy: (group.custom_ipolicy ?? {}) as GroupObject["ipolicy"],
    diskparams: (group.custom_diskparams ?? {}) as GroupObject["diskparams"],
    networks: Object.fromEntries(connections),
    ...stampsOf(group),
    tags: group.tags,
  };
}

function nodeObject(node: RapiNode, { info, groups }: RemoteCluster): NodeObject {
  const group = groups.find(({ uuid }) => uuid === node["group.uuid"]);
  const below = { ...defaultNdparams, ...info.ndparams, ...group?.custom_ndparams };
  return {
    uuid: node.uuid as NodeUuid,
    name: node.name,
    primary_ip: node.pip,
    secondary_ip: node.sip,
    group: node["group.uuid"],
    master_candidate: node.master_candidate,
    offline: node.offline,
    drained: node.drained,
    master_capable: node.master_capable,
    vm_capable: node.vm_capable,
    ndparams: differing(node.ndparams, below) as PartialNdparams,
    powered: true,
    ...stampsOf(node),
    tags: node.tags,
  };
}

/** Own values: those that differ from the inherited ones, `below`. For nodes the remote API shows only filled values. */
const differing = (
  filled: Readonly<Record<string, unknown>>,
  below: Readonly<Record<string, unknown>>,
) =>
  Object.fromEntries(
    Object.entries(filled).filter(
      ([key, value]) => !sameJson((value ?? null) as Json, (below[key] ?? null) as Json),
    ),
  );

type UuidByName = ReadonlyMap<string, NodeUuid>;

function disksOf(
  instance: RapiInstance,
  maker: DiskMaker,
  uuidOf: UuidByName,
): readonly DiskObject[] {
  const { name, pnode, snodes, disk_template: template } = instance;
  const primary = pnode === null ? undefined : uuidOf.get(pnode);
  if (template === null || primary === undefined) return [];
  const spindles = instance["disk.spindles"];
  return maker.disksOf(
    {
      name,
      template,
      primary,
      secondary: uuidOf.get(snodes[0] ?? ""),
      forthcoming: instance.forthcoming === true,
    },
    instance["disk.sizes"].map((sizeMib, at) => ({
      sizeMib,
      spindles: spindles[at] ?? undefined,
      uuid: instance["disk.uuids"]?.[at],
      name: instance["disk.names"]?.[at] ?? undefined,
    })),
  );
}

interface InstanceParts {
  readonly own: readonly DiskObject[];
  readonly uuidOf: UuidByName;
  readonly info: RemoteCluster["info"];
  readonly making: Making;
}

function instanceObject(
  instance: RapiInstance,
  { own, uuidOf, info, making }: InstanceParts,
): InstanceObject {
  const { name, uuid, pnode, os, status, forthcoming } = instance;
  const primary_node = pnode === null ? undefined : uuidOf.get(pnode);
  if (pnode !== null && primary_node === undefined) {
    throw new TwinError(`the primary node ${pnode} of instance ${name} is not listed`);
  }
  return {
    uuid,
    name,
    ...(primary_node === undefined ? {} : { primary_node }),
    os: os ?? "",
    hypervisor: info.default_hypervisor,
    hvparams: plainValues(instance.custom_hvparams),
    beparams: plainValues(instance.custom_beparams),
    osparams: {},
    osparams_private: {},
    ...intendedState(status),
    ...adminStateOf(instance),
    nics: nicsOf(instance, making),
    disks: own.map((disk) => disk.uuid),
    ...(instance.network_port == null ? {} : { network_port: instance.network_port }),
    ...(forthcoming ? { forthcoming: true as const } : {}),
    tags: instance.tags,
    ...stampsOf(instance),
  } as unknown as InstanceObject;
}

/** The administrative state. The remote API does not show who has set it. */
const adminStateOf = ({ admin_state }: RapiInstance) =>
  ["up", "down", "offline"].includes(admin_state) ? { admin_state } : {};

const plainValues = (values: Readonly<Record<string, unknown>> | null | undefined) =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => isJson(value)));

function nicsOf(instance: RapiInstance, { random }: Making) {
  return (instance["nic.macs"] ?? []).map((mac, at) => {
    const ip = instance["nic.ips"]?.[at];
    const name = instance["nic.names"]?.[at];
    const network = instance["nic.networks"]?.[at];
    return {
      uuid: instance["nic.uuids"]?.[at] ?? randomUuid(random),
      mac: mac ?? "",
      ...(ip == null ? {} : { ip }),
      ...(name == null ? {} : { name }),
      ...(network == null ? {} : { network }),
      nicparams: plainValues(instance.custom_nicparams?.[at]),
    };
  });
}

function networkObject(network: RapiNetwork): NetworkObject {
  const { gateway, gateway6, network6, mac_prefix } = network;
  const external = externalBits(network);
  const bits = Array.from(network.map, (one, at) => (one === "X" && external[at] !== "1" ? 1 : 0));
  return {
    uuid: network.uuid,
    name: network.name,
    network: network.network,
    ...(network6 == null ? {} : { network6 }),
    ...(gateway == null ? {} : { gateway }),
    ...(gateway6 == null ? {} : { gateway6 }),
    ...(mac_prefix == null ? {} : { mac_prefix }),
    reservations: bits.join(""),
    ext_reservations: external.join(""),
    ...stampsOf(network),
    tags: network.tags,
  };
}

/** A bit per address of the network. */
function externalBits({ network, map, external_reservations }: RapiNetwork): readonly string[] {
  const [base = ""] = network.split("/", 1);
  const bits = Array.from(map, () => "0");
  for (const address of external_reservations.split(",")) {
    if (address.trim() !== "") bits[numberOf(address.trim()) - numberOf(base)] = "1";
  }
  return bits.slice(0, map.length);
}

const numberOf = (address: string): number =>
  address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
