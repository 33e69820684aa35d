/** Resources below `/2/instances`. */
import { JobId, RapiInstance } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { type InstanceChanges, instanceChangesOf } from "./instance-changes.js";
import { nameIn, type Reading } from "./reading.js";
import { type Submission, submitted } from "./submission.js";
import { type Tags, tagsOf } from "./tags.js";

/** Further keys depend on the kind: `command`, `host`, `port`, `message`, … */
export const InstanceConsole = z.looseObject({ instance: z.string(), kind: z.string() });
export type InstanceConsole = z.infer<typeof InstanceConsole>;

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

/** Names are full names of instances. Changes return the id of their job. */
export interface Instances extends InstanceChanges {
  /** All instances, with live data of their nodes. */
  list(options?: Reading): Promise<readonly RapiInstance[]>;
  get(name: string, options?: Reading): Promise<RapiInstance>;
  /** Live-migrates it. */
  migrate(name: string, how?: Migration, submission?: Submission): Promise<JobId>;
  /** Stops it, and starts it on another node with access to its disks. */
  failover(name: string, how?: Failover, submission?: Submission): Promise<JobId>;
  replaceDisks(name: string, how: DiskReplacement, submission?: Submission): Promise<JobId>;
  /** Access to its console; refused with status 503 if it does not run. */
  console(name: string, options?: Reading): Promise<InstanceConsole>;
  tags(name: string): Tags;
}

export const instancesOf = (caller: Caller): Instances => {
  const path = (name: string) => nameIn("/2/instances", name);
  const submit =
    <How extends object>(method: "PUT" | "POST", action: string) =>
    (name: string, how?: How, submission: Submission = {}) =>
      caller.call(method, `${path(name)}/${action}`, JobId, submitted(how ?? {}, submission));
  return {
    ...instanceChangesOf(caller),
    list: (options = {}) =>
      caller.call("GET", "/2/instances", z.array(RapiInstance), { query: { bulk: 1 }, ...options }),
    get: (name, options) => caller.call("GET", path(name), RapiInstance, options),
    migrate: submit<Migration>("PUT", "migrate"),
    failover: submit<Failover>("PUT", "failover"),
    replaceDisks: submit<DiskReplacement>("POST", "replace-disks"),
    console: (name, options) =>
      caller.call("GET", `${path(name)}/console`, InstanceConsole, options),
    tags: (name) => tagsOf(caller, path(name)),
  };
};
