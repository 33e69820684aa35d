/** Lookup of the instances that opcodes name, and of their administrative state. */

import { put, realDisksOf, type Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type {
  AdminState,
  InstanceObject,
  InstanceUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { wrongInput, wrongState } from "../unit/refusals.js";
import { applied, type World } from "../unit/unit.js";

interface NamesInstance {
  readonly instance_name: string;
  readonly instance_uuid?: string | undefined;
}

/** The named instance or reservation. @throws PrereqError, ConfigError */
export function namedInstance(now: Snapshot, op: NamesInstance): InstanceObject {
  const instance = now.expectInstance(op.instance_name);
  if (op.instance_uuid !== undefined && op.instance_uuid !== instance.uuid) {
    throw new PrereqError(
      "resource_not_unique",
      `The instances UUID '${instance.uuid}' does not match the expected UUID` +
        ` '${op.instance_uuid}' for instance '${shownName(instance)}'. Maybe the instance changed` +
        " since you submitted this job.",
    );
  }
  return instance;
}

/** @throws PrereqError for a reservation. */
export function namedRealInstance(now: Snapshot, op: NamesInstance): RealInstance {
  const instance = namedInstance(now, op);
  if (instance.forthcoming) wrongState("forthcoming instances not supported for this operation");
  return instance;
}

/** The name, or the UUID of an instance without a name. */
export const shownName = (instance: Pick<InstanceObject, "name" | "uuid">): string =>
  instance.name ?? instance.uuid;

export const nodeName = (now: Snapshot, uuid: string): string =>
  now.node(uuid as never)?.name ?? uuid;

/** @throws PrereqError `wrong_input` if no disk has the index */
export function realDiskAt(now: Snapshot, instance: RealInstance, index: number): RealDisk {
  const disk = realDisksOf(now, instance)[index];
  if (disk !== undefined) return disk;
  // Ganeti's text: the letter and the closing parenthesis are missing there, too.
  const last = instance.disks.length - 1;
  wrongInput(`Invalid disk index: ${index} (instace has disks 0 to ${last}`);
}

/** Groups of states that operations accept, in the order in which texts name them. */
export const online: readonly AdminState[] = ["down", "up"];
export const down: readonly AdminState[] = ["down"];
export const notRunning: readonly AdminState[] = ["down", "offline"];

/** Changes one instance unless it no longer exists; returns the resulting snapshot. */
export async function changeInstance(
  world: World,
  uuid: InstanceUuid,
  changed: (before: RealInstance) => RealInstance,
): Promise<Snapshot> {
  const snapshot = await applied(world, (now) => {
    const before = now.instance(uuid);
    if (before === undefined || before.forthcoming) return [];
    const object = changed(before);
    return [put("instance", object)];
  });
  return snapshot;
}

export const markUp = (world: World, uuid: InstanceUuid) => changeInstance(world, uuid, markedUp);

export const markedUp = (before: RealInstance): RealInstance => ({
  ...before,
  admin_state: "up",
  admin_state_source: "admin",
  disks_active: true,
});

export const markDown = (world: World, uuid: InstanceUuid, source: "admin" | "user" = "admin") =>
  changeInstance(world, uuid, (before) => ({
    ...before,
    admin_state: "down",
    admin_state_source: source,
  }));

export const markDisks = (world: World, uuid: InstanceUuid, active: boolean) =>
  changeInstance(world, uuid, (before) => ({ ...before, disks_active: active }));
