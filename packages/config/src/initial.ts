/** Initial configuration of a new cluster. */

import { fileStorageDirectory, sharedFileStorageDirectory } from "@ganeti-ts/node-calls";
import type {
  ClusterObject,
  DiskTemplate,
  GroupObject,
  Hypervisor,
  NodeObject,
  Random,
} from "@ganeti-ts/protocol";
import { GroupUuid, NodeUuid, usesLvm } from "@ganeti-ts/protocol";
import { wrongInput } from "./config-error.js";
import { clusterDefaults, configVersion, defaultDiskparams, defaultPolicy } from "./defaults.js";
import { randomUuid } from "./generated.js";
import type { ConfigurationContent } from "./objects.js";

/** Given values of a node group; all others are defaults. */
type InitialGroup = Pick<GroupObject, "name"> &
  Partial<Omit<GroupObject, "uuid" | "serial_no" | "ctime" | "mtime">>;

/** Given values of a node; its group by name, default the first group. */
type InitialNode = Pick<NodeObject, "name" | "primary_ip"> &
  Partial<Omit<NodeObject, "uuid" | "group" | "serial_no" | "ctime" | "mtime">> & {
    readonly group?: string;
  };

/** Properties of a new cluster. */
export interface InitialCluster {
  readonly clusterName: string;
  /** The first one is the master. */
  readonly nodes: readonly InitialNode[];
  /** Default: one called `default`. */
  readonly groups?: readonly InitialGroup[];
  /** Default: `kvm`. */
  readonly hypervisors?: readonly Hypervisor[];
  /** Default: `drbd` and `plain`. */
  readonly diskTemplates?: readonly DiskTemplate[];
  /** Other deviations from the defaults. */
  readonly cluster?: Partial<ClusterObject>;
  readonly random: Random;
  /** Seconds since the epoch. */
  readonly now: number;
}

/**
 * As many nodes become master candidates as the pool size demands, in order. @throws ConfigError
 * `wrong_input` without nodes, or for a group that is not listed
 */
export function initialConfiguration(wanted: InitialCluster): ConfigurationContent {
  const { random, now } = wanted;
  const stamps = { serial_no: 1, ctime: now, mtime: now };
  const groups = (wanted.groups ?? [{ name: "default" }]).map(
    (group): GroupObject => ({
      alloc_policy: "preferred",
      ndparams: {},
      ipolicy: {},
      diskparams: {},
      networks: {},
      tags: [],
      ...group,
      ...stamps,
      uuid: GroupUuid.parse(randomUuid(random)),
    }),
  );
  const candidatesMax = wanted.cluster?.candidate_pool_size ?? 10;
  let candidateCount = 0;
  const nodes = wanted.nodes.map(({ group: groupName, ...node }): NodeObject => {
    const group = groupName === undefined ? groups[0] : groups.find((g) => g.name === groupName);
    if (group === undefined) wrongInput(`Node group '${groupName}' not found`);
    const canLead = node.master_capable !== false && !node.offline && !node.drained;
    const master_candidate = canLead && candidateCount < candidatesMax;
    if (master_candidate) candidateCount++;
    return {
      secondary_ip: node.primary_ip,
      master_candidate,
      offline: false,
      drained: false,
      master_capable: true,
      vm_capable: true,
      ndparams: {},
      powered: true,
      tags: [],
      ...node,
      ...stamps,
      uuid: NodeUuid.parse(randomUuid(random)),
      group: group.uuid,
    };
  });
  const master = nodes[0];
  if (master === undefined) wrongInput("A cluster has at least one node");
  const cluster = { ...initialCluster(wanted, master), uuid: randomUuid(random), ...stamps };
  return {
    version: configVersion,
    serial: 1,
    ctime: now,
    mtime: now,
    cluster,
    nodes,
    groups,
    instances: [],
    disks: [],
    networks: [],
  };
}

function initialCluster(wanted: InitialCluster, master: NodeObject): Omit<ClusterObject, "uuid"> {
  const templates = wanted.diskTemplates ?? (["drbd", "plain"] as const);
  const usesFiles = (template: DiskTemplate) => templates.includes(template);
  return {
    ...clusterDefaults,
    cluster_name: wanted.clusterName,
    master_node: master.uuid,
    master_ip: "127.0.0.1",
    master_netdev: "xen-br0",
    // That of the address alone.
    master_netmask: wanted.cluster?.primary_ip_family === 10 ? 128 : 32,
    ...(templates.some(usesLvm) ? { volume_group_name: "xenvg" } : {}),
    ...(templates.includes("drbd") ? { drbd_usermode_helper: "/bin/true" } : {}),
    file_storage_dir: usesFiles("file") ? fileStorageDirectory : "",
    shared_file_storage_dir: usesFiles("sharedfile") ? sharedFileStorageDirectory : "",
    gluster_storage_dir: usesFiles("gluster") ? "/var/run/ganeti/gluster" : "",
    enabled_hypervisors: [...(wanted.hypervisors ?? (["kvm"] as const))],
    diskparams: defaultDiskparams,
    ipolicy: defaultPolicy(templates),
    default_iallocator: "hail",
    enabled_disk_templates: [...templates],
    ...wanted.cluster,
  };
}
