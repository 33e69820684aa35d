/** Locks of a verification of a group's disks, kept as long as the group has the same instances on the same nodes. */
import { type InstanceInGroup, instancesOfGroupByNode, type Snapshot } from "@ganeti-ts/config";
import type { LockName, LockRequest } from "@ganeti-ts/locking";
import type { GroupObject, GroupUuid, NodeUuid } from "@ganeti-ts/protocol";
import { asShared, groupLock, instanceLock, nodeLock } from "../unit/locks.js";
import { isReal } from "./expected-disks.js";

/** Locks and nodes that the instances of one node, as their primary, add. */
interface OfPrimary {
  readonly instances: readonly LockName[];
  readonly secondaries: readonly NodeUuid[];
}

interface Kept {
  readonly isStrict: boolean;
  readonly lists: ReturnType<typeof instancesOfGroupByNode>;
  readonly byPrimary: ReadonlyMap<NodeUuid, OfPrimary>;
  readonly groups: ReadonlySet<GroupUuid>;
  readonly requests: readonly LockRequest[];
}

const keptByGroup = new WeakMap<GroupObject, Kept>();

/**
 * The groups of all nodes concerned and, for a strict verification, the nodes and instances. The same list as before
 * unless one of them has changed, so that callers can tell by comparing references. O(nodes), then O(instances) for new
 * lists.
 */
export function verificationLocks(
  now: Snapshot,
  group: GroupObject,
  isStrict: boolean,
): readonly LockRequest[] {
  const lists = instancesOfGroupByNode(now, group);
  const known = keptByGroup.get(group);
  const byPrimary = new Map<NodeUuid, OfPrimary>();
  for (const [node, list] of lists) {
    const before = known?.byPrimary.get(node);
    byPrimary.set(node, known?.lists.get(node) === list && before ? before : ofList(list, before));
  }
  const nodes = new Set(lists.keys());
  for (const { secondaries } of byPrimary.values()) for (const one of secondaries) nodes.add(one);
  const groups = new Set([group.uuid]);
  for (const node of nodes) groups.add(now.node(node)?.group ?? group.uuid);
  const isKnown =
    known?.isStrict === isStrict &&
    // Parts are those of one node each, so that the nodes need not be compared.
    isSame([...known.byPrimary.values()], [...byPrimary.values()]) &&
    isSame([...known.groups], [...groups]);
  const locks = (): readonly LockName[] => [
    ...Array.from(groups, groupLock),
    ...(isStrict ? Array.from(byPrimary.values(), ({ instances }) => instances).flat() : []),
    ...(isStrict ? Array.from(nodes, nodeLock) : []),
  ];
  const requests = isKnown ? known.requests : asShared(...locks());
  keptByGroup.set(group, { isStrict, lists, byPrimary, groups, requests });
  return requests;
}

/** The part of an instance's primary node before, if it is the same: most changes concern neither names nor nodes. */
function ofList(list: readonly InstanceInGroup[], before: OfPrimary | undefined): OfPrimary {
  const real = list.filter(isReal);
  const made = {
    instances: real.map(({ instance }) => instanceLock(instance)),
    secondaries: [...new Set(real.flatMap(({ secondaries }) => secondaries))],
  };
  const isKnown =
    before !== undefined &&
    isSame(before.instances, made.instances) &&
    isSame(before.secondaries, made.secondaries);
  return isKnown ? before : made;
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at]);
