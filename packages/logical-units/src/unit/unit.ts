/** Logical unit: locks, checks and effects of one opcode; the world that it runs in, and the steps that most units have. */
import type { Allocators } from "@ganeti-ts/allocators";
import type { QueueReader } from "@ganeti-ts/cluster-queries";
import type { ConfigChange, Configuration, Decide, Snapshot } from "@ganeti-ts/config";
import type { OperationContext } from "@ganeti-ts/job-queue";
import type { LockName, LockRequest } from "@ganeti-ts/locking";
import type { MasterHost, NodeBackend, Resolver } from "@ganeti-ts/node-calls";
import type {
  CancelSignal,
  Clock,
  JobId,
  Json,
  JsonObject,
  LogType,
  OpcodeId,
  OpcodeOf,
  Random,
  ReasonTrail,
} from "@ganeti-ts/protocol";
import type { HookRun } from "../hooks/hook-run.js";
import type { Found, Hooks } from "../hooks/hooks.js";
import { isDryRun, type MaybeDryRun } from "./effects.js";

/** Implementation of one opcode: its hooks, the locks it needs, and its execution. */
export interface Unit<Id extends OpcodeId = OpcodeId> {
  readonly opcode: Id;
  /** Scripts on nodes that run before it and may forbid it, and after it. */
  readonly hooks?: Hooks<OpcodeOf<Id>>;
  /**
   * Locks to hold while it runs, for the present configuration; the big lock is added. Quick and
   * pure. @throws PrereqError if the opcode is invalid, for instance names no existing object.
   */
  locks(op: OpcodeOf<Id>, now: Snapshot): readonly LockRequest[];
  /**
   * First all checks, which change nothing; with `dry_run` nothing else. Then effects on nodes, and
   * one change of the configuration that records the result. If the job dies between two effects,
   * the configuration is consistent and reserved resources are still reserved. @throws PrereqError
   * from the checks, ExecError after them.
   */
  run(op: OpcodeOf<Id>, world: World): Promise<Json>;
}

/** The parts of the configuration that nodes hold, sent after every change. */
interface FollowingCopies {
  /** Resolves when all online nodes were offered the newest; gives those that do not have it, and why. */
  flush(options?: {
    /** Also what nodes are known to have. */
    readonly everything?: boolean;
  }): Promise<readonly { readonly node: string; readonly problem: string }[]>;
}

/** Ports shared by all units. */
export interface WorldPorts {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  /** The machine that the server runs on. */
  readonly masterHost: MasterHost;
  /** Allocators that choose nodes for instances. */
  readonly allocators: Allocators;
  readonly resolver: Resolver;
  /** Copies on nodes that follow the configuration by themselves. Absent: units send the ssconf values. */
  readonly copies?: FollowingCopies | undefined;
  /** Jobs, locks and filter rules for OP_QUERY. Absent if these cannot be queried. */
  readonly queue?: QueueReader | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Ports of one run of a unit. */
export interface World extends WorldPorts {
  readonly jobId: JobId;
  /** Why the opcode was submitted; nodes note it with an instance that they start or stop. */
  readonly reason: ReasonTrail;
  /** Passed with calls to nodes, which refuse those of a worker that was declared dead. */
  readonly lease: string;
  /** Fires when the job is killed or this worker has lost its lease. */
  readonly signal: CancelSignal;
  /**
   * Appends a line to the job's log; lines keep their order and are durable before the result is.
   */
  log(message: Json, type?: LogType): void;
  /** Submits jobs that inherit the opcode's priority, comment and reasons. */
  submit: OperationContext["submit"];
  /**
   * The unit's hooks, to be called after the checks. Those after the operation run automatically.
   */
  readonly hooks: Pick<HookRun, "before" | "afterOn" | "results">;
  /** Releases locks that are no longer needed. */
  release(locks: readonly LockName[]): Promise<void>;
}

/** Jobs to be submitted: opcodes without parameters that equal their defaults. */
export type ChildJobs = readonly (readonly JsonObject[])[];

/** A world at one snapshot: the ports of a run, and the configuration it works with. */
export interface UnitContext extends World {
  /** The configuration to check or act upon; `config.snapshot` may be newer. */
  readonly now: Snapshot;
}

/** The world, or the given part of it, at that snapshot. After a change a new one is needed. */
export const contextAt = <Part extends object>(
  world: Part,
  now: Snapshot,
): Part & Pick<UnitContext, "now"> => ({ ...world, now });

/**
 * Runs the hooks that may forbid the operation; true if only the checks were requested. @throws
 * OperationError `HooksAbort`
 */
export async function areChecksAll(
  world: Pick<World, "hooks" | "log">,
  op: MaybeDryRun,
  found: Found = {},
): Promise<boolean> {
  await world.hooks.before(found);
  return isDryRun(world, op);
}

/** Makes these changes, computed from the latest configuration; gives the configuration with them. */
export async function applied(
  world: Pick<World, "config" | "lease">,
  changesOf: (latest: Snapshot) => readonly ConfigChange[],
): Promise<Snapshot> {
  const decide = (latest: Snapshot) => ({ changes: changesOf(latest), value: undefined });
  return (await world.config.change(decide, world)).snapshot;
}

/** Applies the changes of `decide`; with `dry_run`, only checks that they can be applied. */
export async function changeConfig<T>(
  world: World,
  op: MaybeDryRun,
  decide: Decide<T>,
  foundOf: (value: T) => Found = () => ({}),
): Promise<T> {
  const { value } = decide(world.config.snapshot);
  return (await areChecksAll(world, op, foundOf(value)))
    ? value
    : (await world.config.change(decide, world)).value;
}

/**
 * Submits the jobs; the result is `more` with `jobs`: `[true, id]` or `[false, reason]` for each.
 */
export async function resultWithJobs(
  world: World,
  jobs: ChildJobs,
  more: JsonObject = {},
): Promise<Json> {
  const submitted = jobs.length === 0 ? [] : await world.submit(jobs);
  return { ...more, jobs: submitted };
}
