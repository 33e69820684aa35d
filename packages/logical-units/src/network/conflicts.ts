/** Instances that prevent connecting or disconnecting a network. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { instancesToCome, type Snapshot } from "@ganeti-ts/config";
import type { ForthcomingNic, GroupObject, InstanceObject, NicObject } from "@ganeti-ts/protocol";
import { type HookNodes, onNodes } from "../hooks/hooks.js";
import { warn } from "../unit/effects.js";
import { wrongState } from "../unit/refusals.js";
import type { UnitContext } from "../unit/unit.js";

/** Instances with their primary node in the group, including reservations. */
export const instancesOfGroup = (now: Snapshot, { uuid }: GroupObject): InstanceObject[] =>
  now.nodesOfGroup(uuid).flatMap((node) => [...now.instancesOfNode(node.uuid).primary]);

/** The same with those that are being created. */
export const allOfGroup = (now: Snapshot, group: GroupObject): InstanceObject[] => [
  ...instancesOfGroup(now, group),
  ...instancesToCome(now).filter(
    ({ primary_node: node }) => node && now.node(node)?.group === group.uuid,
  ),
];

/** Hook nodes: the members of the group. */
export function membersOfGroup(
  { group_name }: { readonly group_name: string },
  now: Snapshot,
): HookNodes {
  return onNodes(...now.nodesOfGroup(now.expectGroup(group_name).uuid).map(({ uuid }) => uuid));
}

interface Connecting {
  readonly networkName: string;
  readonly group: GroupObject;
  readonly action: "connect to" | "disconnect from";
}

/** @throws PrereqError if the NIC of an instance in the group conflicts; the log names it. */
export function refuseConflicts(
  context: UnitContext,
  { networkName, group, action }: Connecting,
  conflicts: (nic: NicObject | ForthcomingNic) => boolean,
): void {
  const found = allOfGroup(context.now, group).flatMap((instance) => {
    const nics = instance.nics.flatMap((nic, at) =>
      conflicts(nic) ? [`nic${at}/${nic.ip ?? "None"}`] : [],
    );
    if (nics.length === 0) return [];
    return [`${instanceLabel(instance)}: ${nics.join(", ")}`];
  });
  if (found.length === 0) return;
  warn(
    context,
    `IP addresses from network '${networkName}', which is about to ${action} node group` +
      ` '${group.name}', are in use: ${found.join(", ")}`,
  );
  wrongState("Conflicting IP addresses found;  remove/modify the corresponding network interfaces");
}
