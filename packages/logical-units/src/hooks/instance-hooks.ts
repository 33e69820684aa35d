/** Hook variables of instances. */
import {
  diskTemplate,
  filledBeparams,
  filledHvparams,
  nodesOfInstance,
  type Snapshot,
  secondaryNodes,
} from "@ganeti-ts/config";
import type {
  DiskObject,
  InstanceObject,
  Json,
  NetworkObject,
  NicObject,
  NodeUuid,
} from "@ganeti-ts/protocol";
import { namedInstance, nodeName } from "../instance/state.js";
import type { Found, Hooks, HookValues, HookVariables } from "./hooks.js";
import { HookParts, merged, onNodes } from "./hooks.js";

interface NamesInstance {
  readonly instance_name: string;
  readonly instance_uuid?: string | undefined;
}

interface More<Op> {
  /** Variables in addition to those of every instance. */
  readonly variables?: (
    op: Op,
    now: Snapshot,
    instance: InstanceObject,
    found: Found,
  ) => HookVariables;
  /** Default: the master, and the instance's nodes. */
  readonly nodes?: (
    op: Op,
    now: Snapshot,
    instance: InstanceObject,
    found: Found,
  ) => readonly (NodeUuid | undefined)[];
}

/** Hooks of operations on one instance. */
export const instanceHooks = <Op extends NamesInstance>(
  path: string,
  { variables, nodes }: More<Op> = {},
): Hooks<Op> => ({
  path,
  object: "INSTANCE",
  environment(op, now, found) {
    const instance = namedInstance(now, op);
    const planned = { ...instance, ...found.planned } as InstanceObject;
    return merged(
      instanceVariables(now, planned),
      found.variables ?? {},
      variables?.(op, now, instance, found) ?? {},
    );
  },
  nodes(op, now, found) {
    const instance = namedInstance(now, op);
    const { master_node: master } = now.cluster;
    return onNodes(
      master,
      ...(nodes?.(op, now, instance, found) ?? nodesOfInstance(now, instance)),
    );
  },
});

/** Values of an instance that is about to be created. */
export interface InstanceFacts {
  readonly name: string;
  readonly primary: NodeUuid | undefined;
  readonly secondaries: readonly NodeUuid[];
  readonly status: Json;
  readonly os: string | undefined;
  readonly template: string | undefined;
  readonly hypervisor: string | undefined;
  readonly beparams: HookValues;
  readonly hvparams: HookValues;
  readonly nics: readonly (Pick<NicObject, "nicparams"> & Partial<NicObject>)[];
  readonly disks: readonly Partial<DiskObject>[];
  readonly tags: readonly string[];
  readonly forthcoming: boolean;
}

/** Variables of an instance in the configuration. Values that a reservation lacks are empty. */
export const instanceVariables = (now: Snapshot, instance: InstanceObject): HookVariables =>
  variablesOf(now, {
    name: instance.name ?? "",
    primary: instance.primary_node,
    secondaries: secondaryNodes(now, instance),
    status: instance.admin_state ?? "",
    os: instance.os,
    template: diskTemplate(now, instance),
    hypervisor: instance.hypervisor,
    beparams: { ...filledBeparams(now, instance) },
    hvparams: filledHvparams(now, instance),
    nics: instance.nics as readonly NicObject[],
    disks: now.disksOf(instance),
    tags: instance.tags,
    forthcoming: instance.forthcoming === true,
  });

/** Source: Ganeti, `BuildInstanceHookEnv`. */
export function variablesOf(now: Snapshot, facts: InstanceFacts): HookVariables {
  const { name, beparams, hvparams, nics, disks } = facts;
  return merged(
    {
      OP_TARGET: name,
      INSTANCE_NAME: name,
      INSTANCE_PRIMARY: facts.primary === undefined ? "" : nodeName(now, facts.primary),
      INSTANCE_SECONDARIES: facts.secondaries.map((node) => nodeName(now, node)).join(" "),
      INSTANCE_OS_TYPE: facts.os ?? "",
      INSTANCE_STATUS: facts.status,
    },
    sizeVariables(beparams),
    {
      INSTANCE_DISK_TEMPLATE: facts.template ?? "",
      INSTANCE_HYPERVISOR: facts.hypervisor ?? "",
      INSTANCE_NIC_COUNT: nics.length,
    },
    ...nics.map((nic, index) => ofNic(now, nic, index)),
    { INSTANCE_DISK_COUNT: disks.length },
    ...disks.map(diskVariables),
    { INSTANCE_TAGS: facts.tags.join(" ") },
    underPrefix("INSTANCE_BE_", beparams),
    underPrefix("INSTANCE_HV_", hvparams),
    facts.forthcoming ? { INSTANCE_FORTHCOMING: 1 } : {},
  );
}

/** Sizes, with the memory under its old name as well. */
export const sizeVariables = ({ minmem, maxmem, vcpus }: HookValues): HookValues => ({
  INSTANCE_MINMEM: minmem,
  INSTANCE_MAXMEM: maxmem,
  INSTANCE_MEMORY: maxmem,
  INSTANCE_VCPUS: vcpus,
});

const underPrefix = (prefix: string, values: HookValues): HookVariables =>
  new HookParts(prefix, [values]);

function ofNic(now: Snapshot, nic: Partial<NicObject>, index: number): HookVariables {
  const { mode, link, vlan } = { ...now.cluster.nicparams.default, ...nic.nicparams };
  const network = nic.network === undefined ? undefined : now.network(nic.network);
  const connects = mode === "bridged" || mode === "openvswitch";
  return underPrefix(`INSTANCE_NIC${index}_`, {
    ...(nic.name ? { NAME: nic.name } : {}),
    UUID: nic.uuid ?? "",
    IP: nic.ip ?? "",
    MAC: nic.mac ?? "",
    MODE: mode,
    LINK: link,
    VLAN: vlan ?? "",
    ...(network === undefined ? {} : ofNetwork(network)),
    ...(connects ? { BRIDGE: link } : {}),
  });
}

const ofNetwork = (network: NetworkObject): HookValues => ({
  NETWORK_NAME: network.name,
  NETWORK_UUID: network.uuid,
  NETWORK_TAGS: network.tags.join(" "),
  ...subnetVariables(network),
});

type NetworkFacts = {
  readonly [key in "network" | "gateway" | "network6" | "gateway6" | "mac_prefix"]?:
    | string
    | undefined;
};

/** Variables of a network's addresses. */
function subnetVariables(network: NetworkFacts): HookValues {
  const { network: subnet, gateway, network6, gateway6, mac_prefix: prefix } = network;
  return {
    ...(subnet ? { NETWORK_SUBNET: subnet } : {}),
    ...(gateway ? { NETWORK_GATEWAY: gateway } : {}),
    ...(network6 ? { NETWORK_SUBNET6: network6 } : {}),
    ...(gateway6 ? { NETWORK_GATEWAY6: gateway6 } : {}),
    ...(prefix ? { NETWORK_MAC_PREFIX: prefix } : {}),
  };
}

/** Variables of an operation on a network. */
export const networkVariables = (
  name: string,
  network: NetworkFacts & { readonly tags?: readonly string[] },
): HookValues => ({
  NETWORK_NAME: name,
  ...subnetVariables(network),
  ...(network.tags?.length ? { NETWORK_TAGS: network.tags.join(" ") } : {}),
});

const diskVariables = (disk: Partial<DiskObject>, index: number): HookVariables =>
  underPrefix(`INSTANCE_DISK${index}_`, {
    ...locationVariables(disk),
    ...(disk.name ? { NAME: disk.name } : {}),
    UUID: disk.uuid ?? "",
    SIZE: disk.size ?? "",
    MODE: disk.mode ?? "",
  });

/** Location of a disk, by its type. */
function locationVariables({ dev_type, logical_id, children = [] }: Partial<DiskObject>) {
  const type = dev_type === undefined ? {} : { DEV_TYPE: dev_type };
  if (logical_id === undefined) return type;
  const [first = null, second = null] = logical_id;
  switch (dev_type) {
    case "plain":
      return { VG: first, ID: second, ...type };
    case "ext":
      return { PROVIDER: first, ID: second, ...type };
    case "drbd": {
      const [pnode, snode, port, pminor, sminor] = logical_id;
      const [data, meta] = children;
      return {
        PNODE: pnode,
        SNODE: snode,
        PORT: port,
        PMINOR: pminor,
        SMINOR: sminor,
        DATA_VG: data?.logical_id?.[0],
        DATA_ID: data?.logical_id?.[1],
        META_VG: meta?.logical_id?.[0],
        META_ID: meta?.logical_id?.[1],
        ...type,
      };
    }
    case undefined:
      return type;
    case "file":
    case "sharedfile":
    case "blockdev":
    case "rbd":
    case "gluster":
      return { DRIVER: first, ID: second, ...type };
  }
}
