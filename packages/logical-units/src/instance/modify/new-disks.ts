/**
 * Additional disks of an instance: held by the job while they are made, then owned by the instance.
 */

import {
  type ConfigChange,
  filledBeparams,
  newUuid,
  type Snapshot,
  shareOf,
} from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type {
  DiskTemplate,
  ForthcomingInstance,
  InstanceUuid,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { type Demand, take } from "../../capacity/demand.js";
import { hasVolumes } from "../../capacity/volumes.js";
import { contextAt, type UnitContext } from "../../unit/context.js";
import type { World } from "../../unit/unit.js";
import { generatedDisks, type PlannedDisk } from "../create/disks.js";
import { forthcomingDisk, plannedVolumes } from "../create/reservation.js";
import { isExclusive } from "../disks/growth.js";

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
  /** The entry that holds the disks. */
  readonly holder: InstanceUuid;
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
      const holder = holderOf(contextAt(world, now), primary, made.disks);
      const changes: ConfigChange[] = [
        ...made.disks.map((disk) => {
          return { kind: "put", type: "disk", object: forthcomingDisk(disk, true) } as const;
        }),
        { kind: "put", type: "instance", object: holder },
        ...(made.cluster === now.cluster
          ? []
          : [{ kind: "cluster", object: made.cluster } as const]),
      ];
      return { changes, value: { holder: holder.uuid, disks: made.disks, notes: made.notes } };
    },
  });
}

const holderOf = (
  { config, jobId, now }: Pick<UnitContext, "config" | "jobId" | "now">,
  primary: NodeUuid,
  disks: readonly RealDisk[],
): ForthcomingInstance => ({
  uuid: newUuid(now, config.random),
  forthcoming: true,
  held_by: jobId,
  primary_node: primary,
  nics: [],
  tags: [],
  beparams: { maxmem: 0, minmem: 0, vcpus: 0, spindle_use: 0 },
  disks: disks.map(({ uuid }) => uuid),
});

/** @throws ExecError if recovery has dropped the entry because the job is over */
export function checkHeld(now: Snapshot, { holder }: HeldDisks): void {
  if (now.instance(holder) !== undefined) return;
  throw new ExecError("The job is over: the disks that it held have been given up");
}

/** One change that inserts the disks at their positions as real ones and drops their holder. */
export function settled(
  now: Snapshot,
  { holder, disks }: HeldDisks,
  instance: RealInstance,
  order: readonly RealDisk[],
): readonly ConfigChange[] {
  const stamped = (disk: RealDisk): RealDisk => {
    const { serial_no } = now.disk(disk.uuid) ?? {};
    return { ...forthcomingDisk(disk, false), ...(serial_no === undefined ? {} : { serial_no }) };
  };
  const isHeld = new Set(disks.map(({ uuid }) => uuid));
  return [
    ...renumbered(order.map((disk) => (isHeld.has(disk.uuid) ? stamped(disk) : disk))),
    {
      kind: "put",
      type: "instance",
      object: { ...instance, disks: order.map(({ uuid }) => uuid) },
    },
    { kind: "remove", type: "instance", uuid: holder },
  ];
}

/** Disks are named after their position. */
export const renumbered = (order: readonly RealDisk[]): readonly ConfigChange[] =>
  order.map((disk, at) => ({
    kind: "put",
    type: "disk",
    object: { ...disk, iv_name: `disk/${at}` },
  }));
