/** Committed share of the free capacity that a node reported. */
import {
  instancesOn,
  limitedOn,
  type Share,
  type Snapshot,
  type SpokenFor,
  shareOf,
  sumOfShares,
} from "@ganeti-ts/config";
import type { InstanceObject, NodeUuid } from "@ganeti-ts/protocol";
import { mayBeCountedTwice } from "./idle-claim.js";

export interface Spoken extends SpokenFor {
  /** Some of it may be counted twice, because it was being taken at the time of the call. */
  readonly isDoubtful: boolean;
}

/**
 * Capacity of the node that is reserved or was taken after it reported its figures. `before` is the
 * configuration before the call to the node, `now` the one that decides. Instances that are real in
 * both are included in the node's own figures; reservations are not. Anything that became real,
 * changed or was dropped in between may or may not be included, and counts as not included: then
 * the sum is doubtful.
 *
 * `except`: instances whose own share is left out. O(instances of the node).
 */
export function spokenFor(
  before: Snapshot,
  now: Snapshot,
  node: NodeUuid,
  except: ReadonlySet<string>,
): Spoken {
  const shares: Share[] = [];
  let isDoubtful = false;
  for (const instance of instancesOn(now, node)) {
    if (except.has(instance.uuid)) continue;
    if (instance.forthcoming) {
      isDoubtful ||= mayBeCountedTwice(instance);
      shares.push(shareOf(now, instance, node));
    } else if (!isSame(before, now, instance)) {
      isDoubtful = true;
      shares.push(shareOf(now, instance, node));
    }
  }
  for (const instance of instancesOn(before, node)) {
    if (!instance.forthcoming || except.has(instance.uuid)) continue;
    if (now.instance(instance.uuid) !== undefined) continue;
    isDoubtful = true;
    shares.push(shareOf(before, instance, node));
  }
  return { ...sumOfShares(shares), ...limitedOn(now, node, except), isDoubtful };
}

/** Neither the instance nor one of its disks has changed. */
function isSame(before: Snapshot, now: Snapshot, instance: InstanceObject): boolean {
  const old = before.instance(instance.uuid);
  if (old === undefined || old.serial_no !== instance.serial_no || old.forthcoming) return false;
  return instance.disks.every((uuid) => before.disk(uuid)?.serial_no === now.disk(uuid)?.serial_no);
}
