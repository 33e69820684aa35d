/**
 * Sources of an object's text besides the object itself: the text is valid while none of them
 * changed.
 */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeObject } from "@ganeti-ts/protocol";
import type { RapiItems, RapiKind } from "./rapi-objects.js";

/** Kinds whose texts are kept object by object. */
export type CachedKind = Exclude<RapiKind, "instance">;

/** In a fixed order, by identity. */
export const readBy: {
  readonly [Kind in CachedKind]: (item: RapiItems[Kind], now: Snapshot) => readonly unknown[];
} = {
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

export function sameReads(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
