/** How much of what a node had free when it was asked is spoken for by now. */
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
  /** Some of it may be counted twice: it was just being taken when the node was asked. */
  readonly isDoubtful: boolean;
}

/**
 * `before` is the configuration before the node was asked, `now` the one that decides. What was real in
 * both is in the node's own figures. What is reserved is not. What became real, changed or was given up
 * in between may be or may be not, and is taken for not: then the sum is doubtful.
 *
 * `except`: instances whose own share is meant. O(instances of the node).
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
