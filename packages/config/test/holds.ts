// Transitions of creations, as data: claims become real instances, return to a reservation, or are dropped with their job.
import {
  type ClaimOf,
  type ClaimUuid,
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
import { type ConfigChange, ConfigError, droppedClaims, type Snapshot } from "../src/index.js";

/** First change of a creation: a claim on the instance with its disks, its port, minors and addresses. */
export function creationChanges(
  instance: RealInstance,
  disks: readonly RealDisk[],
  job: JobId,
): readonly ConfigChange[] {
  const object: ClaimOf<"creation"> = {
    ...({ kind: "creation", uuid: instance.uuid as string as ClaimUuid, job } as const),
    instance: { ...instance, forthcoming: true },
    disks: disks.map((disk) => diskMarked(disk, true) as ForthcomingDisk),
  };
  return [{ kind: "put", type: "claim", object }];
}

/** An instance that is to come: reserved, or about to be created. */
export interface ToCome {
  readonly instance: ForthcomingInstance;
  readonly disks: readonly DiskObject[];
  readonly claim?: ClaimOf<"creation">;
}

export const allToCome = (now: Snapshot): readonly ToCome[] => [
  ...[...now.instances()].flatMap((one) =>
    one.forthcoming ? { instance: one, disks: now.disksOf(one) } : [],
  ),
  ...[...now.claims()].flatMap((claim) =>
    claim.kind === "creation" ? { instance: claim.instance, disks: claim.disks, claim } : [],
  ),
];

/**
 * The instance and its disks, at all levels, as real ones.
 * @throws ConfigError `wrong_state` if there is no such instance to come (any more), `wrong_input` if
 *   it lacks something
 */
export function realChanges(now: Snapshot, uuid: InstanceUuid): readonly ConfigChange[] {
  const found = allToCome(now).find(({ instance }) => instance.uuid === uuid);
  if (found === undefined) {
    throw new ConfigError("wrong_state", `Instance ${uuid} is no longer forthcoming`);
  }
  const { instance, claim } = found;
  const object = RealInstance.safeParse({ ...realDefaults, ...instance, forthcoming: false });
  if (!object.success) throw incomplete(uuid, object.error.issues);
  const disks = found.disks.map((disk) => {
    const real = RealDisk.safeParse(diskMarked(disk, false));
    if (!real.success) throw incomplete(disk.uuid, real.error.issues);
    return { kind: "put", type: "disk", object: real.data } as const;
  });
  return [
    ...(claim === undefined ? [] : [{ kind: "remove", type: "claim", uuid: claim.uuid } as const]),
    { kind: "put", type: "instance", object: object.data },
    ...disks,
  ];
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

/** Drops claims of jobs that have ended. */
export const droppedCreations = (
  now: Snapshot,
  isOver: (job: JobId) => boolean,
): readonly ConfigChange[] =>
  droppedClaims(
    now,
    [...now.claims()].filter(({ job }) => isOver(job)).map(({ uuid }) => uuid),
  );

/** The claim of a running creation with one disk, and the final form of the instance. */
export function aCreation({ nodes }: { readonly nodes: readonly { readonly uuid: NodeUuid }[] }) {
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
  const claim: ClaimOf<"creation"> = {
    ...({ kind: "creation", uuid: common.uuid as string as ClaimUuid, job: 3 as JobId } as const),
    instance: { ...common, forthcoming: true },
    disks: [disk],
  };
  return { claim, real: common as RealInstance };
}
