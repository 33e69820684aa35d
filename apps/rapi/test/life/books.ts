/** Invariants of a cluster at rest. */

import {
  type ConfigStore,
  Configuration,
  consistencyFaults,
  devicesOfClaim,
  shareOfClaim,
} from "@ganeti-ts/config";
import type { DiskObject, InstanceObject, NodeObject } from "@ganeti-ts/protocol";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import type { HostState, KeptStates } from "@ganeti-ts/simulated-nodes";

type Snapshot = Configuration["snapshot"];

/** Size (MiB) of a mirrored disk's metadata, on both of its nodes. */
const metaMib = 128;

export interface Faults {
  /** Violated invariants. */
  readonly wrong: readonly string[];
  /** Leftovers on nodes without an instance or a job. */
  readonly left: readonly string[];
  /** Claims of ended jobs on devices that recovery still has to remove. */
  readonly claims: readonly string[];
}

export async function faultsOf(store: ConfigStore, { hosts }: KeptStates): Promise<Faults> {
  const { snapshot } = await Configuration.open(store, {
    clock: systemClock,
    random: secureRandom,
  });
  const wrong = [...consistencyFaults(snapshot)];
  const left: string[] = [];
  const claims: string[] = [];
  for (const claim of snapshot.claims()) {
    const name = claim.kind === "creation" ? claim.instance.name : undefined;
    if (name === undefined) claims.push(`${claim.uuid} is still held`);
    else wrong.push(`${name} is still held`);
  }
  const running = new Map<string, string>();
  for (const node of snapshot.nodes()) {
    const host = hosts.get(node.name)?.();
    if (host === undefined) continue;
    const { primary, secondary } = snapshot.instancesOfNode(node.uuid);
    const instances = [...new Set([...primary, ...secondary])];
    left.push(...strayVolumes(snapshot, host, node, instances));
    left.push(...strayExports(snapshot, host, node));
    for (const name of Object.keys(host.instances)) {
      const elsewhere = running.get(name);
      if (elsewhere !== undefined) wrong.push(`${name} runs on ${elsewhere} and ${host.name}`);
      running.set(name, host.name);
      const instance = snapshot.findInstance(name);
      if (instance?.primary_node !== node.uuid) left.push(`${host.name}: ${name} runs`);
    }
    wrong.push(...overcommitments(snapshot, host, node, instances));
  }
  return { wrong, left, claims };
}

const sizeOn = ({ dev_type, size = 0 }: DiskObject): number =>
  dev_type === "drbd" ? size + metaMib : dev_type === "plain" ? size : 0;

const volumesOf = (disks: readonly DiskObject[]): readonly string[] =>
  disks
    .flatMap((disk) => [disk, ...disk.children])
    .map(({ logical_id }) => String(logical_id?.[1]));

function strayVolumes(
  now: Snapshot,
  host: HostState,
  { uuid }: NodeObject,
  instances: readonly InstanceObject[],
): readonly string[] {
  const known = new Set([
    ...instances.flatMap((one) => (one.forthcoming ? [] : volumesOf(now.disksOf(one)))),
    ...volumesOf(now.claimsOfNode(uuid).flatMap(devicesOfClaim)),
  ]);
  return Object.entries(host.volumeGroups).flatMap(([, { volumes }]) =>
    Object.keys(volumes).flatMap((name) => (known.has(name) ? [] : [`${host.name}: ${name}`])),
  );
}

/** Exports that are not finished, and that no job is making or has to remove. */
function strayExports(now: Snapshot, host: HostState, { uuid }: NodeObject): readonly string[] {
  const claims = now.claimsOfNode(uuid);
  const known = new Set(claims.map((one) => (one.kind === "export" ? one.instanceName : "")));
  return Object.keys(host.exportsUnderWay).flatMap((name) =>
    known.has(name) ? [] : [`${host.name}: export ${name}.new`],
  );
}

/** Nodes whose used and reserved resources exceed their capacity. */
function overcommitments(
  now: Snapshot,
  host: HostState,
  { uuid }: NodeObject,
  instances: readonly InstanceObject[],
): readonly string[] {
  const group = Object.values(host.volumeGroups)[0];
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const totalMib = sum(Object.values(group?.physicalVolumes ?? {}).map(({ sizeMib }) => sizeMib));
  const usedMib = sum(Object.values(group?.volumes ?? {}).map(({ sizeMib }) => sizeMib));
  const reserved = instances.filter(({ forthcoming }) => forthcoming);
  const claimed = now.claimsOfNode(uuid).map((claim) => shareOfClaim(now, claim, uuid));
  const reservedMib = sum([
    ...reserved.flatMap((one) => now.disksOf(one).map(sizeOn)),
    ...claimed.flatMap(({ diskMib }) => Object.values(diskMib)),
  ]);
  const memoryMib = sum(Object.values(host.instances).map((one) => one.memoryMib));
  return [
    ...(usedMib + reservedMib > totalMib ? [`${host.name}: disks are promised twice`] : []),
    ...(memoryMib > host.memoryTotalMib - host.memoryNodeMib
      ? [`${host.name}: more memory is used than there is`]
      : []),
  ];
}
