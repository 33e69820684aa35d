/** Removal of instances with their disks, ports and addresses. */

import type {
  ClaimUuid,
  ClusterObject,
  DiskObject,
  InstanceObject,
  InstanceUuid,
  NetworkObject,
} from "@ganeti-ts/protocol";
import { isReserved, releaseAddress } from "./address-pool.js";
import { devicesOfClaim, namesOfClaim } from "./claims.js";
import { releasePorts } from "./generated.js";
import { type ConfigChange, put, putCluster, removal } from "./objects.js";
import type { Snapshot } from "./snapshot.js";

/** Removes the instances and their disks, and releases ports and addresses. O(disks + NICs). */
export function removalChanges(
  now: Snapshot,
  uuids: readonly InstanceUuid[],
): readonly ConfigChange[] {
  const instances = uuids.flatMap((uuid) => now.instance(uuid) ?? []);
  const found = instances.map((instance) => ({ instance, disks: now.disksOf(instance) }));
  return [
    ...found.flatMap(({ instance, disks }): ConfigChange[] => [
      removal("instance", instance.uuid),
      ...disks.map(({ uuid }): ConfigChange => removal("disk", uuid)),
    ]),
    ...releaseChanges(now, found),
  ];
}

/** Drops claims with the ports and addresses that they hold now; those that no longer exist are skipped. */
export function droppedClaims(now: Snapshot, uuids: readonly ClaimUuid[]): readonly ConfigChange[] {
  const claims = uuids.flatMap((uuid) => now.claim(uuid) ?? []);
  return [
    ...claims.map(({ uuid }) => removal("claim", uuid)),
    ...releaseChanges(
      now,
      claims.map((claim) => ({ instance: namesOfClaim(claim), disks: devicesOfClaim(claim) })),
    ),
  ];
}

/** Ports and addresses of an instance, and its disks, in the configuration or not. */
interface InstanceWithDisks {
  readonly instance: Pick<InstanceObject, "network_port" | "nics">;
  readonly disks: readonly DiskObject[];
}

/** Releases their ports and addresses; the caller removes the entries. O(disks + NICs). */
export function releaseChanges(
  now: Snapshot,
  released: readonly InstanceWithDisks[],
): readonly ConfigChange[] {
  const ports: number[] = [];
  const networks = new Map<string, NetworkObject>();
  for (const { instance, disks } of released) {
    for (const disk of disks) {
      const port = disk.dev_type === "drbd" ? disk.logical_id?.[2] : undefined;
      if (typeof port === "number") ports.push(port);
    }
    if (instance.network_port !== undefined) ports.push(instance.network_port);
    for (const [network, ip] of poolAddresses(instance)) {
      const pool = networks.get(network) ?? now.get("network", network);
      if (pool === undefined || !isReserved(pool, ip, "instances")) continue;
      networks.set(network, releaseAddress(pool, ip));
    }
  }
  const changes: ConfigChange[] = [];
  for (const object of networks.values()) changes.push(put("network", object));
  const cluster: ClusterObject = releasePorts(now.cluster, ports);
  if (cluster !== now.cluster) changes.push(putCluster(cluster));
  return changes;
}

const poolAddresses = ({
  nics,
}: Pick<InstanceObject, "nics">): readonly (readonly [string, string])[] =>
  nics.flatMap(({ network, ip }) =>
    network === undefined || ip === undefined ? [] : [[network, ip] as const],
  );
