/** Changes of instances, except moves. Every method returns the id of its job. */
import { JobId } from "@ganeti-ts/protocol";
import type { Caller, Method, Query } from "./caller.js";
import type { ParametersOf } from "./parameters.js";
import { nameIn } from "./reading.js";
import { type Submission, submitted } from "./submission.js";

type Named = "instance_name" | "instance_uuid";

/** Parameters of `InstanceChanges.create`. */
export type NewInstance = ParametersOf<"OP_INSTANCE_CREATE">;
/** Parameters of `InstanceChanges.modify`. */
export type InstanceChange = ParametersOf<"OP_INSTANCE_SET_PARAMS", Named>;
/** Parameters of `InstanceChanges.shutdown`. */
export type InstanceShutdown = ParametersOf<"OP_INSTANCE_SHUTDOWN", Named | "no_remember">;
/** Parameters of `InstanceChanges.export`. */
export type InstanceExport = ParametersOf<"OP_BACKUP_EXPORT", Named>;

/** Type of a reboot, and its options. */
export interface Restart {
  readonly type?: "soft" | "hard" | "full";
  readonly ignoreSecondaries?: boolean;
}

/** Calls that create, change and remove instances; each gives the id of its job. */
export interface InstanceChanges {
  /**
   * Creates the instance, or with `forthcoming` reserves its resources: then all other parameters are
   * optional.
   */
  create(parameters: NewInstance, submission?: Submission): Promise<JobId>;
  /** Creates several instances, on nodes chosen by an allocator. */
  createMany(
    parameters: ParametersOf<"OP_INSTANCE_MULTI_ALLOC">,
    submission?: Submission,
  ): Promise<JobId>;
  /** Makes a forthcoming instance real; missing parameters come from it. */
  commit(
    name: string,
    parameters?: ParametersOf<"OP_INSTANCE_CREATE", Named | "commit" | "forthcoming" | "mode">,
    submission?: Submission,
  ): Promise<JobId>;
  remove(
    name: string,
    how?: { readonly shutdown_timeout?: number },
    submission?: Submission,
  ): Promise<JobId>;
  modify(name: string, change: InstanceChange, submission?: Submission): Promise<JobId>;
  rename(
    name: string,
    how: ParametersOf<"OP_INSTANCE_RENAME", Named>,
    submission?: Submission,
  ): Promise<JobId>;
  startup(
    name: string,
    how?: { readonly force?: boolean; readonly noRemember?: boolean },
    submission?: Submission,
  ): Promise<JobId>;
  shutdown(name: string, how?: InstanceShutdown, submission?: Submission): Promise<JobId>;
  reboot(name: string, how?: Restart, submission?: Submission): Promise<JobId>;
  /** Stops it, reinstalls its operating system, and starts it unless `start` is false. */
  reinstall(
    name: string,
    how?: { readonly os?: string; readonly osparams?: object; readonly start?: boolean },
    submission?: Submission,
  ): Promise<JobId>;
  /** All information about the instance, as the job's result. */
  info(name: string, how?: { readonly static?: boolean }, submission?: Submission): Promise<JobId>;
  activateDisks(
    name: string,
    how?: { readonly ignoreSize?: boolean },
    submission?: Submission,
  ): Promise<JobId>;
  deactivateDisks(
    name: string,
    how?: { readonly force?: boolean },
    submission?: Submission,
  ): Promise<JobId>;
  recreateDisks(
    name: string,
    how?: ParametersOf<"OP_INSTANCE_RECREATE_DISKS", Named>,
    submission?: Submission,
  ): Promise<JobId>;
  growDisk(
    name: string,
    disk: number,
    how: ParametersOf<"OP_INSTANCE_GROW_DISK", Named | "disk">,
    submission?: Submission,
  ): Promise<JobId>;
  /** Repairs faulty disks on its primary node. Only this project's server supports this. */
  repair(
    name: string,
    how?: ParametersOf<"OP_INSTANCE_REPAIR", Named>,
    submission?: Submission,
  ): Promise<JobId>;
  prepareExport(name: string, mode: "local" | "remote", submission?: Submission): Promise<JobId>;
  export(name: string, how: InstanceExport, submission?: Submission): Promise<JobId>;
  removeExport(name: string, submission?: Submission): Promise<JobId>;
}

export const instanceChangesOf = (caller: Caller): InstanceChanges => {
  const send = (
    method: Method,
    path: string,
    body: object,
    submission: Submission = {},
    query: Query = {},
  ) => caller.call(method, path, JobId, submitted(body, submission, query));
  const at = (name: string, action = "") => nameIn("/2/instances", name) + action;
  const number = (flag: boolean | undefined) => (flag === undefined ? undefined : Number(flag));
  return {
    create: (parameters, submission) =>
      send("POST", "/2/instances", { __version__: 1, ...parameters }, submission),
    createMany: (parameters, submission) =>
      send("POST", "/2/instances-multi-alloc", parameters, submission),
    commit: (name, how = {}, submission) => send("POST", at(name, "/create"), how, submission),
    remove: (name, how = {}, submission) => send("DELETE", at(name), how, submission),
    modify: (name, change, submission) => send("PUT", at(name, "/modify"), change, submission),
    rename: (name, how, submission) => send("PUT", at(name, "/rename"), how, submission),
    startup: (name, { force, noRemember } = {}, submission) =>
      send("PUT", at(name, "/startup"), {}, submission, {
        force: number(force),
        no_remember: number(noRemember),
      }),
    shutdown: (name, how = {}, submission) => send("PUT", at(name, "/shutdown"), how, submission),
    reboot: (name, { type, ignoreSecondaries } = {}, submission) =>
      send("POST", at(name, "/reboot"), {}, submission, {
        type,
        ignore_secondaries: number(ignoreSecondaries),
      }),
    reinstall: (name, how = {}, submission) =>
      send("POST", at(name, "/reinstall"), how, submission),
    info: (name, how = {}, submission) =>
      send("GET", at(name, "/info"), {}, submission, { static: number(how.static) }),
    activateDisks: (name, how = {}, submission) =>
      send("PUT", at(name, "/activate-disks"), {}, submission, {
        ignore_size: number(how.ignoreSize),
      }),
    deactivateDisks: (name, how = {}, submission) =>
      send("PUT", at(name, "/deactivate-disks"), {}, submission, { force: number(how.force) }),
    recreateDisks: (name, how = {}, submission) =>
      send("POST", at(name, "/recreate-disks"), how, submission),
    growDisk: (name, disk, how, submission) =>
      send("POST", at(name, `/disk/${disk}/grow`), how, submission),
    repair: (name, how = {}, submission) => send("POST", at(name, "/repair"), how, submission),
    prepareExport: (name, mode, submission) =>
      send("PUT", at(name, "/prepare-export"), {}, submission, { mode }),
    export: (name, how, submission) => send("PUT", at(name, "/export"), how, submission),
    removeExport: (name, submission) => send("DELETE", at(name, "/export"), {}, submission),
  };
};
