/** What it takes to remove an instance, or some disks, from the configuration: all they held is free again. */
import { type ConfigChange, poolChanges, releasePorts, type Snapshot } from "@ganeti-ts/config";
import type { ClusterObject, DiskObject, InstanceUuid } from "@ganeti-ts/protocol";

/** Nothing if it is not there. Ports go back to the pool, addresses to their networks. */
export function removalOf(now: Snapshot, uuid: InstanceUuid): readonly ConfigChange[] {
  const instance = now.instance(uuid);
  if (instance === undefined) return [];
  const disks = now.disksOf(instance);
  return [
    { kind: "remove", type: "instance", uuid },
    ...disks.map((disk) => ({ kind: "remove", type: "disk", uuid: disk.uuid }) as const),
    ...portsFreed(now.cluster, [instance.network_port, ...disks.map(portOf)]),
    ...poolChanges(now, instance.nics, []),
  ];
}

/** The port of a drbd disk. */
export function portOf({ dev_type, logical_id }: DiskObject): number | undefined {
  const port = dev_type === "drbd" ? logical_id?.[2] : undefined;
  return typeof port === "number" ? port : undefined;
}

export function portsFreed(
  cluster: ClusterObject,
  ports: readonly (number | undefined)[],
): readonly ConfigChange[] {
  const freed = ports.filter((port) => port !== undefined);
  return freed.length === 0 ? [] : [{ kind: "cluster", object: releasePorts(cluster, freed) }];
}
