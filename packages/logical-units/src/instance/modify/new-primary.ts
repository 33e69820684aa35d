/**
 * New primary of an instance whose disks an administrator has moved by hand: nodes are not called.
 */

import { type ConfigChange, put, type Snapshot } from "@ganeti-ts/config";
import type { InstanceUuid, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { wrongInput } from "../../unit/refusals.js";
import { nodeName } from "../state.js";

/** @throws PrereqError if the disks are mirrored between other nodes */
export function checkNewPrimary(now: Snapshot, instance: RealInstance, node: NodeUuid): void {
  for (const [at, { nodes }] of now.disksOf(instance).entries()) {
    if (nodes.length < 2 || nodes.includes(node)) continue;
    const names = nodes.map((one) => nodeName(now, one)).join(" and ");
    wrongInput(
      `Disk ${at} of instance ${instance.name} is on ${names}, not on ${nodeName(now, node)}`,
    );
  }
}

/** Moves the instance and those of its disks that are on a single node. */
export function newPrimaryChanges(
  now: Snapshot,
  uuid: InstanceUuid,
  node: NodeUuid,
): readonly ConfigChange[] {
  const instance = now.instance(uuid);
  if (instance === undefined || instance.forthcoming) return [];
  checkNewPrimary(now, instance, node);
  const local = now.disksOf(instance).filter(({ nodes }) => nodes.length === 1);
  return [
    put("instance", { ...instance, primary_node: node }),
    ...local.map((disk) => ({
      ...({ kind: "put", type: "disk" } as const),
      object: { ...disk, nodes: [node] },
    })),
  ];
}
