/** Instances and disks as nodes get them: with parameters filled, so that a node needs nothing else. */

import type { DiskOnNode, HypervisorOnNode, InstanceOnNode } from "@ganeti-ts/node-calls";
import type { DiskObject, GroupObject, Json, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import {
  filledBeparams,
  filledDiskparams,
  filledHvparams,
  filledNicparams,
  filledOsparams,
} from "./filling.js";
import { realDisksOf } from "./instance-parts.js";
import type { Snapshot } from "./snapshot.js";

interface Overrides {
  /** In place of those that the configuration knows. */
  readonly disks?: readonly DiskOnNode[];
  /** For one start only. */
  readonly hvparams?: Readonly<Record<string, Json>>;
  readonly beparams?: Readonly<Record<string, Json>>;
  /** For one run of its OS's scripts only. */
  readonly osparams?: Readonly<Record<string, Json>>;
}

export function instanceOnNode(
  now: Snapshot,
  instance: RealInstance,
  { disks, hvparams, beparams, osparams }: Overrides = {},
): InstanceOnNode {
  const os = filledOsparams(now, instance);
  return {
    ...{ uuid: instance.uuid, name: instance.name, os: instance.os },
    hypervisor: instance.hypervisor,
    hvparams: { ...filledHvparams(now, instance), ...hvparams },
    beparams: { ...filledBeparams(now, instance), ...beparams },
    osparams: { ...os.public, ...os.private, ...osparams },
    nics: instance.nics.map((nic) => ({ ...nic, nicparams: filledNicparams(now, instance, nic) })),
    disks: disks ?? realDisksOf(now, instance).map((disk) => diskOnNode(now, instance, disk)),
    network_port: instance.network_port,
  };
}

/** With the parameters of its type, as the group of the instance's primary has them. */
export function diskOnNode(
  now: Snapshot,
  instance: Pick<RealInstance, "primary_node">,
  disk: DiskObject | DiskObject["children"][number],
): DiskOnNode {
  const { dev_type: type = "plain", logical_id = [], size = 0, params, children = [] } = disk;
  const group = groupOf(now, instance.primary_node);
  return {
    ...{ uuid: disk.uuid, dev_type: type, logical_id, size },
    ...{ mode: disk.mode, iv_name: disk.iv_name, name: disk.name, spindles: disk.spindles },
    params: { ...filledDiskparams(now, group)[type], ...params },
    children: children.map((child) => diskOnNode(now, instance, child)),
  };
}

/** The group of a node; undefined if there is no such node. */
export function groupOf(now: Snapshot, node: NodeUuid | undefined): GroupObject | undefined {
  const group = node === undefined ? undefined : now.node(node)?.group;
  return group === undefined ? undefined : now.group(group);
}

/** The hypervisor with what the cluster says of it, for questions about no instance in particular. */
export const hypervisorOnNode = (now: Snapshot, name: string): HypervisorOnNode => ({
  name,
  hvparams: now.cluster.hvparams[name] ?? {},
});
