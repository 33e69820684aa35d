/** How what is reserved becomes real, and how it comes to be held in the first place. */
import {
  type DiskObject,
  type ForthcomingInstance,
  type InstanceObject,
  type InstanceUuid,
  type JobId,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { ConfigError } from "../config-error.js";
import type { InstanceDiskTemplate } from "../disk-template.js";
import type { ConfigChange } from "../objects.js";
import type { Snapshot } from "../snapshot.js";

/** What a reservation says together with what the request to make it real says. */
export interface CommitCandidate {
  readonly uuid: string;
  readonly name?: string | undefined;
  readonly primary_node?: string | undefined;
  readonly hypervisor?: string | undefined;
  readonly os?: string | undefined;
  /** No system is to be installed. */
  readonly noInstall?: boolean | undefined;
  /** Undefined where neither disks nor the request say it. */
  readonly diskTemplate?: InstanceDiskTemplate | undefined;
  /** 0 and undefined: not said. */
  readonly diskSizesMib: readonly (number | undefined)[];
}

/** Parameters without which nothing can be created, in the order in which they are named. */
export function missingForCommit(candidate: CommitCandidate): readonly string[] {
  const { name, primary_node, hypervisor, os, noInstall, diskTemplate, diskSizesMib } = candidate;
  const missing: string[] = [];
  if (!name) missing.push("name");
  if (!primary_node) missing.push("primary_node");
  if (!hypervisor) missing.push("hypervisor");
  if (!os && noInstall !== true) missing.push("os");
  if (diskTemplate === undefined) missing.push("disk_template");
  else if (diskTemplate !== "diskless" && diskSizesMib.length === 0) missing.push("disks");
  for (const [at, size] of diskSizesMib.entries()) if (!size) missing.push(`disks/${at}/size`);
  return missing;
}

/** @throws ConfigError `wrong_input` naming all that is missing */
export function mustBeComplete(candidate: CommitCandidate): void {
  const missing = missingForCommit(candidate);
  if (missing.length === 0) return;
  throw new ConfigError(
    "wrong_input",
    `Instance ${candidate.uuid} cannot be created, missing parameters: ${missing.join(", ")}`,
  );
}

/**
 * What a creation takes before it does anything: the instance with its disks, not real yet, and shown
 * to nobody. Port, minors and addresses are claimed by this.
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
  ...{ hvparams: {}, beparams: {}, osparams: {}, osparams_private: {}, os: "" },
  ...{ admin_state: "down", admin_state_source: "admin", disks_active: false },
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
