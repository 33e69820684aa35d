// Transitions of held entries, as data: they become real, return to a reservation, or are dropped with their job.
import {
  type DiskObject,
  type DiskUuid,
  type ForthcomingDisk,
  type ForthcomingInstance,
  type InstanceObject,
  type InstanceUuid,
  type JobId,
  type NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { type ConfigChange, ConfigError, removalChanges, type Snapshot } from "../src/index.js";

/**
 * First change of a creation: the instance with its disks, not real yet and not listed, which claims port,
 * minors and addresses.
 */
export function heldChanges(
  instance: RealInstance,
  disks: readonly RealDisk[],
  job: JobId,
): readonly ConfigChange[] {
  const held: ForthcomingInstance = { ...instance, forthcoming: true, held_by: job };
  return [
    { kind: "put", type: "instance", object: held },
    ...disks.map((disk) => ({
      ...({ kind: "put", type: "disk" } as const),
      object: diskMarked(disk, true),
    })),
  ];
}

/**
 * The instance and its disks, at all levels, as real ones.
 * @throws ConfigError `wrong_state` if there is no such instance to come (any more), `wrong_input` if
 *   it lacks something
 */
export function realChanges(now: Snapshot, uuid: InstanceUuid): readonly ConfigChange[] {
  const instance = now.instance(uuid);
  if (instance?.forthcoming !== true) {
    throw new ConfigError("wrong_state", `Instance ${uuid} is no longer forthcoming`);
  }
  const { held_by: _held, ...rest } = instance;
  const object = RealInstance.safeParse({ ...realDefaults, ...rest, forthcoming: false });
  if (!object.success) throw incomplete(uuid, object.error.issues);
  const disks = now.disksOf(instance).map((disk) => {
    const real = RealDisk.safeParse(diskMarked(disk, false));
    if (!real.success) throw incomplete(disk.uuid, real.error.issues);
    return { kind: "put", type: "disk", object: real.data } as const;
  });
  return [{ kind: "put", type: "instance", object: object.data }, ...disks];
}

/** A real instance with its disks as a reservation again: what a failed creation leaves. */
export function reservationChanges(now: Snapshot, uuid: InstanceUuid): readonly ConfigChange[] {
  const instance = now.instance(uuid);
  if (instance === undefined) {
    throw new ConfigError("wrong_state", `Instance ${uuid} disappeared`);
  }
  return [
    { kind: "put", type: "instance", object: { ...instance, forthcoming: true } as InstanceObject },
    ...now.disksOf(instance).map((disk) => ({
      ...({ kind: "put", type: "disk" } as const),
      object: diskMarked(disk, true),
    })),
  ];
}

const realDefaults = {
  hvparams: {},
  beparams: {},
  osparams: {},
  osparams_private: {},
  os: "",
  admin_state: "down",
  admin_state_source: "admin",
  disks_active: false,
} as const;

function diskMarked(disk: DiskObject, forthcoming: boolean): DiskObject {
  const children = disk.children.map((child) => ({ ...child, forthcoming }));
  return { ...disk, forthcoming, children } as DiskObject;
}

function incomplete(
  uuid: string,
  issues: readonly { readonly path: readonly PropertyKey[] }[],
): ConfigError {
  const missing = issues.map(({ path }) => path.join("/")).join(", ");
  return new ConfigError(
    "wrong_input",
    `Instance ${uuid} cannot be created, missing parameters: ${missing}`,
  );
}

/** Drops held entries of creations whose jobs have ended. */
export function droppedHolds(
  now: Snapshot,
  isOver: (job: JobId) => boolean,
): readonly ConfigChange[] {
  const dead = now.heldInstances().filter((instance) => {
    const job = instance.forthcoming ? instance.held_by : undefined;
    return job !== undefined && isOver(job);
  });
  return removalChanges(
    now,
    dead.map(({ uuid }) => uuid),
  );
}

/** Objects of a running creation: its held instance and disk, and the final form of the instance. */
export function aHeldCreation({
  nodes,
}: {
  readonly nodes: readonly { readonly uuid: NodeUuid }[];
}) {
  const [node] = nodes;
  const disk: ForthcomingDisk = {
    uuid: "77777777-7777-4777-8777-777777777777" as DiskUuid,
    ...{ forthcoming: true, nodes: [], children: [] },
  };
  const common = {
    uuid: "88888888-8888-4888-8888-888888888888" as InstanceUuid,
    name: "new.example.com",
    primary_node: node?.uuid as NodeUuid,
    os: "",
    hypervisor: "fake",
    ...{ hvparams: {}, beparams: {}, osparams: {}, osparams_private: {}, nics: [], tags: [] },
    admin_state: "down",
    admin_state_source: "admin",
    disks_active: false,
    disks: [disk.uuid],
  } as const;
  const instance: ForthcomingInstance = { ...common, forthcoming: true, held_by: 3 as JobId };
  return { instance, disk, real: common as RealInstance };
}
