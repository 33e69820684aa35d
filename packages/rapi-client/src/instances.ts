/** Resources below `/2/instances`. */
import { RapiInstance } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import type { ParametersOf } from "./parameters.js";
import { pathsOf, type Reading } from "./reading.js";
import { numberOf, type Submission, submitter } from "./submission.js";
import { type Tags, tagsOf } from "./tags.js";

/** Further keys depend on the kind: `command`, `host`, `port`, `message`, … */
export const InstanceConsole = z.looseObject({ instance: z.string(), kind: z.string() });
export type InstanceConsole = z.infer<typeof InstanceConsole>;

type Named = "instance_name" | "instance_uuid";
/** Parameters of `Instances.create`. */
export type NewInstance = ParametersOf<"OP_INSTANCE_CREATE">;
/** Parameters of `Instances.modify`. */
export type InstanceChange = ParametersOf<"OP_INSTANCE_SET_PARAMS", Named>;
/** Parameters of `Instances.shutdown`. */
export type InstanceShutdown = ParametersOf<"OP_INSTANCE_SHUTDOWN", Named | "no_remember">;
/** Parameters of `Instances.export`. */
export type InstanceExport = ParametersOf<"OP_BACKUP_EXPORT", Named>;

/** Type of a reboot, and its options. */
export interface Restart {
  readonly type?: "soft" | "hard" | "full";
  readonly ignoreSecondaries?: boolean;
}

/** Options of a migration. */
export interface Migration {
  readonly mode?: "live" | "non-live";
  /** Only for instances on shared storage. */
  readonly target_node?: string;
  readonly iallocator?: string;
  readonly allow_runtime_changes?: boolean;
  readonly ignore_ipolicy?: boolean;
  /** Cleans up after a failed migration instead of migrating. */
  readonly cleanup?: boolean;
  /** Fails over if the instance does not run. */
  readonly allow_failover?: boolean;
  readonly ignore_hvversions?: boolean;
}

/** Options of a failover. */
export interface Failover {
  readonly target_node?: string;
  readonly iallocator?: string;
  readonly ignore_consistency?: boolean;
  readonly ignore_ipolicy?: boolean;
  readonly cleanup?: boolean;
  /** Time to shut down, in seconds. */
  readonly shutdown_timeout?: number;
}

/** Disks to replace, and the place of the new ones. */
export interface DiskReplacement {
  readonly mode:
    | "replace_new_secondary"
    | "replace_auto"
    | "replace_on_primary"
    | "replace_on_secondary";
  /** Positions; empty or missing means all. */
  readonly disks?: readonly number[];
  /** The new secondary; or an allocator that chooses it. */
  readonly remote_node?: string;
  readonly iallocator?: string;
  readonly early_release?: boolean;
  readonly ignore_ipolicy?: boolean;
}

const at = pathsOf("/2/instances");

export const instancesOf = (caller: Caller) => ({
  /** All instances, with live data of their nodes. */
  list: (options?: Reading): Promise<readonly RapiInstance[]> =>
    caller.call("GET", "/2/instances", z.array(RapiInstance), { query: { bulk: 1 }, ...options }),
  get: (name: string, options?: Reading): Promise<RapiInstance> =>
    caller.call("GET", at(name), RapiInstance, options),
  /** Access to its console; refused with status 503 if it does not run. */
  console: (name: string, options?: Reading): Promise<InstanceConsole> =>
    caller.call("GET", at(name, "/console"), InstanceConsole, options),
  tags: (name: string): Tags => tagsOf(caller, at(name)),
  ...creationOf(caller),
  ...statesOf(caller),
  ...disksOf(caller),
  ...movesOf(caller),
});

/** Calls on instances by their full names. Changes return the id of their job. */
export interface Instances extends ReturnType<typeof instancesOf> {}

const creationOf = (caller: Caller) => {
  const submit = submitter(caller);
  return {
    /**
     * Creates the instance, or with `forthcoming` reserves its resources: then all other parameters are
     * optional.
     */
    create: (parameters: NewInstance, submission?: Submission) =>
      submit("POST", "/2/instances", { __version__: 1, ...parameters }, submission),
    /** Creates several instances, on nodes chosen by an allocator. */
    createMany: (parameters: ParametersOf<"OP_INSTANCE_MULTI_ALLOC">, submission?: Submission) =>
      submit("POST", "/2/instances-multi-alloc", parameters, submission),
    /** Makes a forthcoming instance real; missing parameters come from it. */
    commit: (
      name: string,
      how: ParametersOf<"OP_INSTANCE_CREATE", Named | "commit" | "forthcoming" | "mode"> = {},
      submission?: Submission,
    ) => submit("POST", at(name, "/create"), how, submission),
    remove: (
      name: string,
      how: { readonly shutdown_timeout?: number } = {},
      submission?: Submission,
    ) => submit("DELETE", at(name), how, submission),
    modify: (name: string, change: InstanceChange, submission?: Submission) =>
      submit("PUT", at(name, "/modify"), change, submission),
    rename: (
      name: string,
      how: ParametersOf<"OP_INSTANCE_RENAME", Named>,
      submission?: Submission,
    ) => submit("PUT", at(name, "/rename"), how, submission),
    /** Stops it, reinstalls its operating system, and starts it unless `start` is false. */
    reinstall: (
      name: string,
      how: { readonly os?: string; readonly osparams?: object; readonly start?: boolean } = {},
      submission?: Submission,
    ) => submit("POST", at(name, "/reinstall"), how, submission),
    prepareExport: (name: string, mode: "local" | "remote", submission?: Submission) =>
      submit("PUT", at(name, "/prepare-export"), {}, submission, { mode }),
    export: (name: string, how: InstanceExport, submission?: Submission) =>
      submit("PUT", at(name, "/export"), how, submission),
    removeExport: (name: string, submission?: Submission) =>
      submit("DELETE", at(name, "/export"), {}, submission),
  };
};

const statesOf = (caller: Caller) => {
  const submit = submitter(caller);
  return {
    startup: (
      name: string,
      { force, noRemember }: { readonly force?: boolean; readonly noRemember?: boolean } = {},
      submission?: Submission,
    ) =>
      submit("PUT", at(name, "/startup"), {}, submission, {
        force: numberOf(force),
        no_remember: numberOf(noRemember),
      }),
    shutdown: (name: string, how: InstanceShutdown = {}, submission?: Submission) =>
      submit("PUT", at(name, "/shutdown"), how, submission),
    reboot: (name: string, { type, ignoreSecondaries }: Restart = {}, submission?: Submission) =>
      submit("POST", at(name, "/reboot"), {}, submission, {
        type,
        ignore_secondaries: numberOf(ignoreSecondaries),
      }),
    /** All information about the instance, as the job's result. */
    info: (name: string, how: { readonly static?: boolean } = {}, submission?: Submission) =>
      submit("GET", at(name, "/info"), {}, submission, { static: numberOf(how.static) }),
  };
};

const disksOf = (caller: Caller) => {
  const submit = submitter(caller);
  return {
    activateDisks: (
      name: string,
      { ignoreSize }: { readonly ignoreSize?: boolean } = {},
      submission?: Submission,
    ) =>
      submit("PUT", at(name, "/activate-disks"), {}, submission, {
        ignore_size: numberOf(ignoreSize),
      }),
    deactivateDisks: (
      name: string,
      { force }: { readonly force?: boolean } = {},
      submission?: Submission,
    ) => submit("PUT", at(name, "/deactivate-disks"), {}, submission, { force: numberOf(force) }),
    recreateDisks: (
      name: string,
      how: ParametersOf<"OP_INSTANCE_RECREATE_DISKS", Named> = {},
      submission?: Submission,
    ) => submit("POST", at(name, "/recreate-disks"), how, submission),
    growDisk: (
      name: string,
      disk: number,
      how: ParametersOf<"OP_INSTANCE_GROW_DISK", Named | "disk">,
      submission?: Submission,
    ) => submit("POST", at(name, `/disk/${disk}/grow`), how, submission),
    replaceDisks: (name: string, how: DiskReplacement, submission?: Submission) =>
      submit("POST", at(name, "/replace-disks"), how, submission),
    /** Repairs faulty disks on its primary node. Only this project's server supports this. */
    repair: (
      name: string,
      how: ParametersOf<"OP_INSTANCE_REPAIR", Named> = {},
      submission?: Submission,
    ) => submit("POST", at(name, "/repair"), how, submission),
  };
};

const movesOf = (caller: Caller) => {
  const submit = submitter(caller);
  return {
    /** Live-migrates it. */
    migrate: (name: string, how: Migration = {}, submission?: Submission) =>
      submit("PUT", at(name, "/migrate"), how, submission),
    /** Stops it, and starts it on another node with access to its disks. */
    failover: (name: string, how: Failover = {}, submission?: Submission) =>
      submit("PUT", at(name, "/failover"), how, submission),
  };
};
