/** Disks and nodes of an instance, looked up in the configuration. */
import type { InstanceObject, NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { type Snapshot, secondaryNodes } from "./snapshot.js";

/** The disks of a real instance, in their order; a real instance has real disks only. */
export const realDisksOf = (now: Snapshot, instance: RealInstance): readonly RealDisk[] =>
  instance.disks.flatMap((uuid) => (now.disk(uuid) as RealDisk | undefined) ?? []);

/** The primary node, if the instance has one, then the secondaries of its mirrors. */
export const nodesOfInstance = (now: Snapshot, instance: InstanceObject): readonly NodeUuid[] => {
  const secondaries = secondaryNodes(now, instance);
  const { primary_node: primary } = instance;
  return primary === undefined ? secondaries : [primary, ...secondaries];
};
