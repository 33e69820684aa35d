/**
 * Configuration changes that turn a reservation into an instance, step by step. Until its disks are
 * made, the reservation stays unchanged and the job holds what the new form needs in addition;
 * until the instance is installed and started, the job holds what only the reservation had, and how
 * it was. So the commit can complete or roll back at any time, also after the death of its server,
 * and nothing is reserved twice:
 *
 * | until | in the configuration | held by the job in addition |
 * |---|---|---|
 * | its disks are made | the reservation | resources of the new form |
 * | it is installed, and runs if it is to | the instance | resources of the former reservation |
 */

import type { ConfigChange, Share, Snapshot } from "@ganeti-ts/config";
import {
  poolChanges,
  put,
  putCluster,
  releaseChanges,
  removal,
  sumOfShares,
} from "@ganeti-ts/config";
import type {
  ClaimOf,
  ClusterObject,
  DiskUuid,
  InstanceUuid,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { commitClaim, dropping, putting } from "../../capacity/claim.js";
import type { UnitContext } from "../../unit/unit.js";
import { claimOfCommit } from "../plan/commit-claim.js";
import { forthcomingDisk } from "../plan/disks.js";
import { realInstance } from "./reservation.js";
import type { Form, LeftDevice } from "./share-difference.js";
import {
  namesBeyond,
  nodesOfForm,
  renewedDisks,
  shareDifference,
  shareOfForm,
  spaceOfShare,
} from "./share-difference.js";

/** Transition of one instance. */
export interface Commit {
  /** The reservation. */
  readonly former: Form;
  /** The completed instance. */
  readonly completed: Form;
  readonly start: boolean;
}

/** Holds what is about to be made. `cluster` already contains the ports allocated for it. */
export function beginning(
  context: UnitContext,
  commit: Commit,
  cluster: ClusterObject,
): readonly ConfigChange[] {
  const { now } = context;
  const { former, completed } = commit;
  const names = namesBeyond(context, completed, former);
  // Claimed even if it is empty: nodes may count the reserved resources as soon as they are made.
  const spaces = nodesOfForm(completed).map((node) =>
    spaceOfShare(node, shareDifference(takenOf(now, commit, node), shareOfForm(now, former, node))),
  );
  return [
    putting(commitClaim(context, { reservation: former.instance.uuid, names, spaces })),
    ...poolChanges(now, [], names.nics),
    ...(cluster === now.cluster ? [] : [putCluster(cluster)]),
  ];
}

/**
 * The disks are made: the instance is real, and the claim holds the additional resources of the
 * reservation.
 */
export function becoming(
  context: UnitContext,
  commit: Commit,
  claim: ClaimOf<"commit">,
): readonly ConfigChange[] {
  const { now } = context;
  const { former, completed } = commit;
  const names = namesBeyond(context, former, completed);
  const nodes = new Set([...nodesOfForm(completed), ...nodesOfForm(former)]);
  const spaces = [...nodes].flatMap((node) => {
    const share = stillTaken(now, commit, node);
    return isNothing(share) ? [] : [spaceOfShare(node, share)];
  });
  const disks = completed.disks.map((disk) => forthcomingDisk(disk as unknown as RealDisk, false));
  return [
    ...disksGone(former.disks, disks),
    ...disks.map((disk) => putDisk(now, disk)),
    putInstance(now, realInstance(completed.instance)),
    putting({ ...claim, names, spaces, former, isBegun: false }),
  ];
}

/** Drops the claim held for rollback or completion; its resources are free for other operations. */
export const settling = (now: Snapshot, reservation: InstanceUuid): readonly ConfigChange[] =>
  dropping(now, [claimOfCommit(now, reservation) ?? []].flat());

/**
 * Puts the former reservation in the place of the instance that it became; no changes if that no
 * longer exists.
 * @param left devices that may still be on a node, to be removed there under their names
 */
export function goingBack(
  context: Pick<UnitContext, "now" | "config">,
  commit: Pick<Commit, "former" | "completed">,
  left: readonly LeftDevice[],
): readonly ConfigChange[] {
  const { now } = context;
  const { former, completed } = commit;
  const { uuid } = former.instance;
  const real = now.instance(uuid);
  if (real === undefined) return settling(now, uuid);
  const claim = claimOfCommit(now, uuid);
  const names = namesBeyond(context, completed, former);
  const renewed = renewedDisks(context, former.disks, left);
  return [
    // Its resources belong to the reservation again.
    ...(claim === undefined ? [] : [removal("claim", claim.uuid)]),
    ...disksGone(now.disksOf(real), former.disks),
    ...former.disks.map((disk) => putDisk(now, renewed.get(disk.uuid) ?? disk)),
    putInstance(now, former.instance),
    ...releaseChanges(now, [{ instance: names, disks: names.disks }]),
  ];
}

/**
 * Capacity that the instance takes of a node from now on; memory and processors only if it is
 * started.
 */
function takenOf(now: Snapshot, { completed, start }: Commit, node: NodeUuid): Share {
  const share = shareOfForm(now, completed, node);
  return start ? share : { ...share, memoryMib: 0, vcpus: 0 };
}

/**
 * Capacity that the node does not count yet: of the real instance, which does not run yet, or of
 * the former reservation.
 */
function stillTaken(now: Snapshot, commit: Commit, node: NodeUuid): Share {
  const [taken, was] = [takenOf(now, commit, node), shareOfForm(now, commit.former, node)];
  return {
    ...shareDifference(was, shareOfForm(now, commit.completed, node)),
    memoryMib: Math.max(taken.memoryMib, was.memoryMib),
    vcpus: Math.max(taken.vcpus, was.vcpus),
  };
}

const isNothing = (share: Share): boolean => {
  const { memoryMib, vcpus, spindleUse, diskSpindles, diskMib } = sumOfShares([share]);
  const sizes = Object.values(diskMib);
  return [memoryMib, vcpus, spindleUse, diskSpindles, ...sizes].every((value) => value === 0);
};

type Disks = readonly { readonly uuid: DiskUuid }[];

/** Removes the disks of one form that the other one does not have. */
function disksGone(before: Disks, after: Disks): readonly ConfigChange[] {
  const kept = new Set(after.map(({ uuid }) => uuid));
  const gone = before.filter(({ uuid }) => !kept.has(uuid));
  return gone.map(({ uuid }) => removal("disk", uuid));
}

/**
 * The disk with the serial number and times that it has in the configuration, if it exists there.
 */
const putDisk = (now: Snapshot, disk: Form["disks"][number] | RealDisk): ConfigChange =>
  put("disk", { ...disk, ...stampsOf(now.disk(disk.uuid)) });

const putInstance = (now: Snapshot, object: RealInstance | Form["instance"]): ConfigChange =>
  put("instance", { ...object, ...stampsOf(now.instance(object.uuid)) });

type Stamps = Partial<Pick<RealDisk, "serial_no" | "ctime" | "mtime">>;

/** None for a new object. */
function stampsOf(known: Stamps | undefined): Stamps {
  if (known === undefined) return {};
  const { serial_no, ctime, mtime } = known;
  return { serial_no, ctime, mtime } as Stamps;
}
