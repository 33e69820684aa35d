/** Free capacity of nodes: their free memory, and what is committed of the capacity that they report. */

import { nodeMemoryMib } from "@ganeti-ts/allocators";
import type { Share, Snapshot } from "@ganeti-ts/config";
import {
  hypervisorOnNode,
  mayBeCountedTwice,
  secondaryNodes,
  shareOf,
  shareOfClaim,
  sumOfShares,
} from "@ganeti-ts/config";
import type { HypervisorFigures, NodeAnswer } from "@ganeti-ts/node-calls";
import type { InstanceObject, NodeUuid } from "@ganeti-ts/protocol";
import { ask } from "../unit/effects.js";
import type { UnitContext } from "../unit/unit.js";

/** Shares of the node that are promised to others, without the limits of its group's policy. */
export interface Spoken extends Share {
  /** Some of it may be counted twice, because it was being taken at the time of the call. */
  readonly isDoubtful: boolean;
}

/** The configuration before a call to nodes, and the one that decides. */
export interface Interval {
  readonly before: Snapshot;
  readonly now: Snapshot;
  /** Real instances of `now` that were different or forthcoming in `before`, or did not exist. */
  readonly changed: readonly InstanceObject[];
}

/** O(changed objects * log n). */
export function intervalOf(before: Snapshot, now: Snapshot): Interval {
  if (before === now) return { before, now, changed: [] };
  const touched = new Set(now.differencesFrom(before, "instance").map(({ after }) => after));
  for (const { after } of now.differencesFrom(before, "disk")) {
    if (after !== undefined) touched.add(now.instanceOfDisk(after.uuid));
  }
  const changed = [...touched].flatMap((one) =>
    one === undefined || one.forthcoming || isSame(before, now, one) ? [] : one,
  );
  return { before, now, changed };
}

/** Neither the instance nor one of its disks has changed. */
function isSame(before: Snapshot, now: Snapshot, instance: InstanceObject): boolean {
  const old = before.instance(instance.uuid);
  if (old === undefined || old.serial_no !== instance.serial_no || old.forthcoming) return false;
  return instance.disks.every((uuid) => before.disk(uuid)?.serial_no === now.disk(uuid)?.serial_no);
}

/**
 * Capacity of the node that is reserved or was taken after it reported its figures. Instances that are
 * real at both ends of the interval are included in the node's own figures; reservations are not. Anything
 * that became real, changed or was dropped in between may or may not be included, and counts as not
 * included: then the sum is doubtful.
 *
 * `except`: instances whose own share is left out. O(forthcoming instances and claims of the node + changed instances).
 */
export function spokenFor(
  { before, now, changed }: Interval,
  node: NodeUuid,
  except: ReadonlySet<string>,
): Spoken {
  const shares: Share[] = [];
  let isDoubtful = false;
  for (const instance of now.forthcomingOfNode(node)) {
    if (!except.has(instance.uuid)) shares.push(shareOf(now, instance, node));
  }
  for (const claim of now.claimsOfNode(node)) {
    isDoubtful ||= mayBeCountedTwice(claim);
    shares.push(shareOfClaim(now, claim, node));
  }
  for (const instance of changed) {
    if (except.has(instance.uuid) || !isOn(now, instance, node)) continue;
    isDoubtful = true;
    shares.push(shareOf(now, instance, node));
  }
  for (const instance of before.forthcomingOfNode(node)) {
    if (except.has(instance.uuid) || now.instance(instance.uuid) !== undefined) continue;
    isDoubtful = true;
    shares.push(shareOf(before, instance, node));
  }
  for (const claim of before.claimsOfNode(node)) {
    // The instance of a creation has the UUID of its claim.
    if (now.claim(claim.uuid) ?? now.get("instance", claim.uuid)) continue;
    isDoubtful = true;
    shares.push(shareOfClaim(before, claim, node));
  }
  return { isDoubtful, ...sumOfShares(shares) };
}

const isOn = (now: Snapshot, instance: InstanceObject, node: NodeUuid): boolean =>
  instance.primary_node === node || secondaryNodes(now, instance).includes(node);

/** The reservations of a node, without claims. O(forthcoming instances of the node). */
export const reservationsOn = (
  now: Snapshot,
  node: NodeUuid,
  except: ReadonlySet<string>,
): readonly InstanceObject[] => now.forthcomingOfNode(node).filter((one) => !except.has(one.uuid));

/** Memory (MiB) given to the instances that run on the node. */
export async function givenMemory(
  context: UnitContext,
  node: NodeUuid,
): Promise<NodeAnswer<number>> {
  const { now } = context;
  const hypervisors = now.cluster.enabled_hypervisors.map((name) => hypervisorOnNode(now, name));
  const answer = await ask(context, node, "all_instances_info", { hypervisors });
  if (!answer.ok) return answer;
  const sizes = Object.values(answer.value).map(({ memoryMib }) => memoryMib);
  return { ok: true, value: sizes.reduce((sum, size) => sum + size, 0) };
}

/**
 * Reported, and neither given to instances nor set aside for the node. `givenMib`: undefined if only the report counts.
 *
 * A node reports what its kernel has free: memory that QEMU has not touched yet is free there, although it was given to a
 * guest. Ganeti checks this figure alone. Where memory is reserved, or is to be, memory that was given does not count as free.
 */
export function freeMemoryMib(
  now: Snapshot,
  { memoryTotalMib, memoryFreeMib, memoryNodeMib }: HypervisorFigures,
  givenMib: number | undefined,
): number {
  if (givenMib === undefined) return memoryFreeMib;
  return Math.min(memoryFreeMib, memoryTotalMib - nodeMemoryMib(now, memoryNodeMib) - givenMib);
}
