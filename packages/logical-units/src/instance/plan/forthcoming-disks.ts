/** Disks of a reservation: any change is possible, because no device exists yet. */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import { diskTemplate, put, putCluster, removal, secondaryNodes } from "@ganeti-ts/config";
import type { OpcodeOf } from "@ganeti-ts/protocol";
import {
  type DiskTemplate,
  type ForthcomingDisk,
  type ForthcomingInstance,
  isMirrored,
  type NodeUuid,
  type OpcodeDisk,
} from "@ganeti-ts/protocol";
import { wrongInput } from "../../unit/refusals.js";
import type { UnitContext } from "../../unit/unit.js";
import { type Changed, checkNothingGiven, indexOf, newIndex } from "./changes.js";
import {
  fileDirectory,
  forthcomingDisk,
  generatedDisks,
  type PlannedDisk,
  plannedAgain,
  plannedDisk,
  unplacedDisk,
} from "./disks.js";
import { isNone } from "./names.js";
import { portOf, portsFreed } from "./places.js";

interface Wish {
  readonly plan: PlannedDisk;
  readonly old: ForthcomingDisk | undefined;
}

interface Place {
  readonly primary: NodeUuid | undefined;
  readonly secondary: NodeUuid | undefined;
  /** Keeps the former disks reserved in addition to the new ones. */
  readonly keepsOld?: boolean;
}

/** The given template, or that of the existing disks, or the first enabled one. */
export function templateOf(
  now: Snapshot,
  instance: ForthcomingInstance,
  given: DiskTemplate | undefined,
): DiskTemplate {
  const own = diskTemplate(now, instance);
  const known = own === "diskless" || own === "mixed" ? undefined : own;
  return given ?? known ?? now.cluster.enabled_disk_templates[0] ?? "diskless";
}

type DiskOp = Pick<
  OpcodeOf<"OP_INSTANCE_SET_PARAMS">,
  "disks" | "disk_template" | "file_driver" | "file_storage_dir"
>;

/** All disks are planned again if one of them changes; existing ones keep their UUIDs. */
export function forthcomingDisks(
  context: UnitContext,
  before: ForthcomingInstance,
  op: DiskOp,
  place: Place,
): {
  readonly objects: readonly ForthcomingDisk[];
  readonly changes: readonly ConfigChange[];
  readonly changed: readonly Changed[];
} {
  const { now } = context;
  const { primary, secondary } = place;
  const old = now.disksOf(before) as readonly ForthcomingDisk[];
  const isHere =
    primary === before.primary_node &&
    (secondary === undefined || secondaryNodes(now, before).includes(secondary));
  if (isHere && op.disks.length === 0 && op.disk_template === undefined) {
    return { objects: old, changes: [], changed: [] };
  }
  const template = templateOf(now, before, op.disk_template);
  const wished = wishedDisks(now, template, old, op);
  const wishes = template === "diskless" ? [] : wished.wishes;
  const freed = place.keepsOld ? [] : portsFreed(now.cluster, old.map(portOf));
  const cluster = freed[0]?.kind === "cluster" ? freed[0].object : now.cluster;
  const isPlaced = primary !== undefined && (!isMirrored(template) || secondary !== undefined);
  const made = isPlaced
    ? generatedDisks(
        now,
        context.config.random,
        wishes.map(({ plan }) => plan),
        {
          instance: before.uuid,
          template,
          primary,
          baseIndex: 0,
          secondary: isMirrored(template) ? secondary : undefined,
          directory: fileDirectory(now, template, before.name ?? before.uuid, op.file_storage_dir),
          driver: op.file_driver ?? "loop",
        },
        cluster,
      )
    : undefined;
  const objects = wishes.map(({ plan, old: was }, at): ForthcomingDisk => {
    const generated = made?.disks[at];
    const object =
      generated === undefined
        ? unplacedDisk(now, context.config.random, template, plan, at)
        : forthcomingDisk(generated, true);
    if (was === undefined) return object;
    const { uuid, serial_no } = was;
    return { ...object, uuid, ...(serial_no === undefined ? {} : { serial_no }) };
  });
  const kept = new Set(objects.map((disk) => disk.uuid));
  const after = made?.cluster ?? cluster;
  return {
    objects,
    changed: wished.changed,
    changes: [
      ...objects.map((object) => put("disk", object)),
      ...old.filter((disk) => !kept.has(disk.uuid)).map((disk) => removal("disk", disk.uuid)),
      ...(after === now.cluster ? [] : [putCluster(after)]),
    ],
  };
}

function wishedDisks(
  now: Snapshot,
  template: DiskTemplate,
  old: readonly ForthcomingDisk[],
  op: DiskOp,
): { readonly wishes: readonly Wish[]; readonly changed: readonly Changed[] } {
  const group = now.cluster.volume_group_name ?? "";
  const changed: Changed[] = [];
  const wishes: Wish[] = old.map((disk) => ({ plan: plannedAgain(disk, group), old: disk }));
  for (const [action, reference, given] of op.disks) {
    checkNothingGiven("disk", action, given);
    if (action === "attach" || action === "detach") {
      wrongInput(`Disks of reservations cannot be ${action}ed`);
    }
    if (action === "add") {
      const at = newIndex("disk", reference, wishes.length);
      const plan = plannedDisk(given, template, group, false);
      wishes.splice(at, 0, { plan, old: undefined });
      changed.push([`disk/${at}`, `add:size=${plan.size},mode=${plan.mode}`]);
      continue;
    }
    const devices = wishes.map(({ old: was, plan }) => ({
      uuid: was?.uuid ?? "",
      name: plan.name,
    }));
    const at = indexOf("disk", reference, devices);
    const wish = wishes[at] as Wish;
    if (action === "remove") {
      wishes.splice(at, 1);
      changed.push([`disk/${at}`, "remove"]);
      continue;
    }
    wishes[at] = { ...wish, plan: changedPlan(wish.plan, given, template, group) };
    for (const key of ["size", "mode", "name", "spindles"] as const) {
      if (given[key] !== undefined) changed.push([`disk.${key}/${at}`, given[key] ?? null]);
    }
  }
  return { wishes, changed };
}

function changedPlan(
  plan: PlannedDisk,
  given: OpcodeDisk,
  template: DiskTemplate,
  group: string,
): PlannedDisk {
  // The provider may be omitted if the disk has one.
  const provider = template === "ext" ? (given.provider ?? plan.provider) : given.provider;
  const known = provider === undefined ? given : { ...given, provider };
  const checked = plannedDisk(known, template, group, false);
  return {
    ...plan,
    ...(given.size === undefined ? {} : { size: checked.size }),
    ...(given.mode === undefined ? {} : { mode: checked.mode }),
    ...(given.name === undefined ? {} : { name: isNone(given.name) ? undefined : given.name }),
    ...(given.spindles === undefined ? {} : { spindles: given.spindles }),
    ...(given.vg === undefined ? {} : { vg: given.vg }),
    ...(given.metavg === undefined ? {} : { metavg: given.metavg }),
    provider: checked.provider,
    access: checked.access ?? plan.access,
    params: { ...plan.params, ...checked.params },
  };
}
