/** How much of what a node had free when it was asked is spoken for by now. */
import type { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, NodeUuid } from "@ganeti-ts/protocol";
import { footprint } from "./footprint.js";

export interface SpokenFor {
  readonly memoryMib: number;
  readonly vcpus: number;
  /** MiB by volume group. */
  readonly volumes: ReadonlyMap<string, number>;
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
): SpokenFor {
  let memoryMib = 0;
  let vcpus = 0;
  const volumes = new Map<string, number>();
  let isDoubtful = false;
  const add = (at: Snapshot, instance: InstanceObject) => {
    const share = footprint(at, instance, node);
    memoryMib += share.memoryMib;
    vcpus += share.vcpus;
    for (const [group, size] of share.volumes) volumes.set(group, (volumes.get(group) ?? 0) + size);
  };
  for (const instance of onNode(now, node)) {
    if (except.has(instance.uuid)) continue;
    if (instance.forthcoming) {
      isDoubtful ||= instance.held_by !== undefined;
      add(now, instance);
    } else if (!isSame(before, now, instance)) {
      isDoubtful = true;
      add(now, instance);
    }
  }
  for (const instance of onNode(before, node)) {
    if (!instance.forthcoming || except.has(instance.uuid)) continue;
    if (now.instance(instance.uuid) !== undefined) continue;
    isDoubtful = true;
    add(before, instance);
  }
  return { memoryMib, vcpus, volumes, isDoubtful };
}

function onNode(at: Snapshot, node: NodeUuid): ReadonlySet<InstanceObject> {
  const { primary, secondary } = at.instancesOfNode(node);
  return new Set([...primary, ...secondary]);
}

/** Neither the instance nor one of its disks has changed. */
function isSame(before: Snapshot, now: Snapshot, instance: InstanceObject): boolean {
  const old = before.instance(instance.uuid);
  if (old === undefined || old.serial_no !== instance.serial_no || old.forthcoming) return false;
  return instance.disks.every((uuid) => before.disk(uuid)?.serial_no === now.disk(uuid)?.serial_no);
}
