/**
 * Sources of an object's text besides the object itself: the text is valid while none of them
 * changed.
 */
import type { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, NodeObject } from "@ganeti-ts/protocol";
import type { RapiItems, RapiKind } from "./rapi-objects.js";

/** In a fixed order, by identity. */
export const readBy: {
  readonly [Kind in RapiKind]: (item: RapiItems[Kind], now: Snapshot) => readonly unknown[];
} = {
  instance: (instance, now) => {
    const { cluster } = now;
    const reads: unknown[] = [
      cluster.hvparams,
      cluster.os_hvp,
      cluster.beparams,
      cluster.nicparams,
    ];
    if (instance.primary_node) reads.push(now.node(instance.primary_node));
    for (const uuid of instance.disks) {
      const disk = now.disk(uuid);
      reads.push(disk);
      for (const node of disk?.dev_type === "drbd" ? disk.nodes : [])
        reads.push(now.node(node)?.name);
    }
    for (const { network } of instance.nics) {
      if (!network) continue;
      reads.push(now.network(network)?.name);
      const node = instance.primary_node && now.node(instance.primary_node);
      reads.push(node && now.group(node.group)?.networks[network]);
    }
    return reads;
  },
  node: (node: NodeObject, now) => {
    const { primary, secondary } = now.instancesOfNode(node.uuid);
    const { cluster } = now;
    const group = now.group(node.group);
    return [cluster.master_node, cluster.ndparams, group?.ndparams, ...primary, ...secondary];
  },
  group: ({ uuid }, now) => [
    ...[now.cluster.ipolicy, now.cluster.diskparams, now.cluster.ndparams],
    ...now.nodesOfGroup(uuid).map(({ name }) => name),
  ],
  network: ({ uuid }, now) => [...now.groups(), ...now.instancesOfNetwork(uuid)],
};

/**
 * Everything that instances show besides themselves and their disks: while all of it is unchanged,
 * only their disks need to be checked. O(nodes + groups + networks).
 */
export const surroundings = (now: Snapshot): readonly unknown[] => [
  now.cluster.hvparams,
  now.cluster.os_hvp,
  now.cluster.beparams,
  now.cluster.nicparams,
  ...now.nodes(),
  ...now.groups(),
  ...now.networks(),
];

export const disksRead = (now: Snapshot, { disks }: InstanceObject): readonly unknown[] =>
  disks.map((uuid) => now.disk(uuid));

export function sameReads(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
