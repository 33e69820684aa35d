/**
 * Additional disks of an instance: held by the job while they are made, then owned by the instance.
 */

import type { ConfigChange } from "@ganeti-ts/config";
import { filledBeparams, put, putCluster, removal, shareOf } from "@ganeti-ts/config";
import type { ClaimOf, DiskTemplate, NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { emptySpace, putting, spaceClaim } from "../../capacity/claim.js";
import { type Demand, take } from "../../capacity/demand.js";
import { hasVolumes } from "../../capacity/volumes.js";
import { contextAt, type World } from "../../unit/unit.js";
import { plannedVolumes } from "../create/reservation.js";
import { isExclusive } from "../disks/growth.js";
import { forthcomingDisk, generatedDisks, type PlannedDisk } from "../plan/disks.js";

export interface NewDisks {
  readonly template: DiskTemplate;
  readonly planned: readonly PlannedDisk[];
  readonly primary: NodeUuid;
  readonly secondary: NodeUuid | undefined;
  readonly baseIndex: number;
  readonly directory: string;
  readonly driver: string;
  /** Nodes on which space is taken; by default those of the disks. */
  readonly takesOn?: readonly NodeUuid[];
}

export interface HeldDisks {
  readonly claim: ClaimOf<"space">;
  readonly disks: readonly RealDisk[];
  readonly notes: readonly string[];
}

/** Reserves their space, names, minors and ports. @throws PrereqError `insufficient_resources` */
export async function holdDisks(
  world: World,
  instance: RealInstance,
  wanted: NewDisks,
): Promise<HeldDisks> {
  const { template, planned, primary, secondary } = wanted;
  const now = world.config.snapshot;
  // A volume adopted on the primary is a new one on the secondary of a mirror.
  const asNew = planned.map((disk) => ({ ...disk, adopt: undefined }));
  const volumes = plannedVolumes(now, primary, template, asNew);
  const nodes = wanted.takesOn ?? [primary, secondary ?? []].flat();
  const { spindle_use } = filledBeparams(now, instance);
  const purpose = `changing disks of instance ${instance.name}`;
  const wantedSpindles = planned.reduce((sum, disk) => sum + (disk.spindles ?? 0), 0);
  const demandOn = (node: NodeUuid): Demand => {
    const isFirst = hasVolumes(volumes) && shareOf(now, instance, node).spindleUse === 0;
    return {
      node,
      volumes,
      spindles: isExclusive(now, node) ? wantedSpindles : 0,
      limited: { vcpus: 0, spindleUse: isFirst ? spindle_use : 0, purpose },
    };
  };
  return take(world, {
    demands: volumes.size > 0 ? nodes.map(demandOn) : [],
    decide: (now) => {
      const place = { ...wanted, instance: instance.uuid };
      const made = generatedDisks(now, world.config.random, planned, place);
      const disks = made.disks.map((disk) => forthcomingDisk(disk, true));
      const claim = spaceClaim(contextAt(world, now), emptySpace(primary), disks, true);
      const changes: ConfigChange[] = [
        putting(claim),
        ...(made.cluster === now.cluster ? [] : [putCluster(made.cluster)]),
      ];
      return { changes, value: { claim, disks: made.disks, notes: made.notes } };
    },
  });
}

/** One change that inserts the disks at their positions as real ones and drops their claim. */
export function settled(
  { claim, disks }: HeldDisks,
  instance: RealInstance,
  order: readonly RealDisk[],
): readonly ConfigChange[] {
  const isNew = new Set(disks.map(({ uuid }) => uuid));
  return [
    ...renumbered(
      order.map((disk) => (isNew.has(disk.uuid) ? forthcomingDisk(disk, false) : disk)),
    ),
    put("instance", { ...instance, disks: order.map(({ uuid }) => uuid) }),
    removal("claim", claim.uuid),
  ];
}

/** Disks are named after their position. */
export const renumbered = (order: readonly RealDisk[]): readonly ConfigChange[] =>
  order.map((disk, at) => put("disk", { ...disk, iv_name: `disk/${at}` }));
