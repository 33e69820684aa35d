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
import {
  type ConfigChange,
  poolChanges,
  releaseChanges,
  removalChanges,
  type Share,
  type Snapshot,
  sumOfShares,
} from "@ganeti-ts/config";
import type {
  ClusterObject,
  InstanceUuid,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { type Claim, putting } from "../../capacity/claim.js";
import { asIdle } from "../../capacity/idle-claim.js";
import type { UnitContext } from "../../unit/context.js";
import { asMark, commitMarks, withFormer } from "./commit-mark.js";
import { type LeftDevice, renewedDisks } from "./renewal.js";
import { forthcomingDisk, realInstance } from "./reservation.js";
import {
  claimOfShare,
  type Form,
  namesBeyond,
  nodesOfForm,
  shareDifference,
  shareOfForm,
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
  const claims = nodesOfForm(completed).map((node) => {
    const more = shareDifference(takenOf(now, commit, node), shareOfForm(now, former, node));
    // Claimed even if it is empty: nodes may count the reserved resources as soon as they are made.
    return claimOfShare(context, node, more);
  });
  return [
    ...marking([names, ...claims], former.instance.uuid),
    ...poolChanges(now, [], names.instance.nics),
    ...(cluster === now.cluster ? [] : [{ kind: "cluster", object: cluster } as const]),
  ];
}

/**
 * The disks are made: the instance is real, and the additional resources of the reservation stay
 * held.
 */
export function becoming(context: UnitContext, commit: Commit): readonly ConfigChange[] {
  const { now } = context;
  const { former, completed } = commit;
  const { uuid } = former.instance;
  const names = namesBeyond(context, former, completed);
  const claims = [...new Set([...nodesOfForm(completed), ...nodesOfForm(former)])].flatMap(
    (node) => {
      const share = stillTaken(now, commit, node);
      return isNothing(share) ? [] : [claimOfShare(context, node, share)];
    },
  );
  const named = { ...names, instance: withFormer(names.instance, former) };
  const held = [named, ...claims].map((claim) => ({ ...claim, instance: asIdle(claim.instance) }));
  const disks = completed.disks.map((disk) => forthcomingDisk(disk as unknown as RealDisk, false));
  return [
    ...marksGone(now, uuid),
    ...disks.map((disk) => putDisk(now, disk)),
    putInstance(now, realInstance(completed.instance)),
    ...marking(
      held.map(({ instance, disks: own }) => ({
        instance,
        disks: own.map((disk) => ({ ...disk, ...stampsOf(now.disk(disk.uuid)) })),
      })),
      uuid,
    ),
  ];
}

/**
 * Drops the entries held for rollback or completion; their resources are free for other operations.
 */
export const settling = (now: Snapshot, reservation: InstanceUuid): readonly ConfigChange[] =>
  removalChanges(
    now,
    commitMarks(now, reservation).map(({ uuid }) => uuid),
  );

/**
 * Puts the former reservation in the place of the instance that it became; no changes if that no
 * longer exists.
 * @param left devices that may still be on a node, to be removed there under their names
 */
export function goingBack(
  context: Pick<UnitContext, "now" | "jobId" | "config">,
  commit: Pick<Commit, "former" | "completed">,
  left: readonly LeftDevice[],
): readonly ConfigChange[] {
  const { now } = context;
  const { former, completed } = commit;
  const { uuid } = former.instance;
  const real = now.instance(uuid);
  if (real === undefined) return settling(now, uuid);
  const kept = new Set(former.disks.map((disk) => disk.uuid));
  const renewed = renewedDisks(context, former.disks, left);
  return [
    ...marksGone(now, uuid),
    ...now
      .disksOf(real)
      .filter((disk) => !kept.has(disk.uuid))
      .map((disk) => ({ kind: "remove", type: "disk", uuid: disk.uuid }) as const),
    ...former.disks.map((disk) => putDisk(now, renewed.get(disk.uuid) ?? disk)),
    putInstance(now, former.instance),
    ...releaseChanges(now, [namesBeyond(context, completed, former)]),
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

const marking = (claims: readonly Claim[], reservation: InstanceUuid): readonly ConfigChange[] =>
  claims.flatMap(({ instance, disks }) =>
    putting({ instance: asMark(instance, reservation), disks }),
  );

/**
 * Removes the entries alone, because their resources now belong to another object. A disk that is
 * put again stays.
 */
const marksGone = (now: Snapshot, reservation: InstanceUuid): readonly ConfigChange[] =>
  commitMarks(now, reservation).flatMap(({ uuid, disks }): ConfigChange[] => [
    { kind: "remove", type: "instance", uuid },
    ...disks.map((disk): ConfigChange => ({ kind: "remove", type: "disk", uuid: disk })),
  ]);

/**
 * The disk with the serial number and times that it has in the configuration, if it exists there.
 */
const putDisk = (now: Snapshot, disk: Form["disks"][number] | RealDisk): ConfigChange => ({
  kind: "put",
  type: "disk",
  object: { ...disk, ...stampsOf(now.disk(disk.uuid)) },
});

const putInstance = (now: Snapshot, object: RealInstance | Form["instance"]): ConfigChange => ({
  kind: "put",
  type: "instance",
  object: { ...object, ...stampsOf(now.instance(object.uuid)) },
});

interface Stamps {
  readonly serial_no?: number | undefined;
  readonly ctime?: number | undefined;
  readonly mtime?: number | undefined;
}

const stampsOf = (known: Stamps | undefined) =>
  ({ serial_no: known?.serial_no, ctime: known?.ctime, mtime: known?.mtime }) as {
    serial_no: number;
  };
