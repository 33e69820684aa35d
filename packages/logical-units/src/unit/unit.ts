/** A logical unit: what one opcode needs, checks and does; and the world that it does it in. */

import type { Allocators } from "@ganeti-ts/allocators";
import type { QueueReader } from "@ganeti-ts/cluster-queries";
import type { Configuration, Snapshot } from "@ganeti-ts/config";
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
} from "@ganeti-ts/protocol";
import type { HookRun } from "../hooks/hook-run.js";
import type { Hooks } from "../hooks/hooks.js";

export interface Unit<Id extends OpcodeId = OpcodeId> {
  readonly opcode: Id;
  /** Scripts on nodes that are asked before it and told of it. */
  readonly hooks?: Hooks<OpcodeOf<Id>>;
  /**
   * What must be held while it runs, as the configuration is now; the big lock is added. Quick and pure.
   * @throws PrereqError if the opcode makes no sense, for instance names nothing that exists.
   */
  locks(op: OpcodeOf<Id>, now: Snapshot): readonly LockRequest[];
  /**
   * First all checks, which change nothing; with `dry_run` that is all. Then effects on nodes, and one
   * change of the configuration that says what is true now. Whenever it is cut short between two
   * effects, the configuration is consistent and what is reserved is still reserved.
   * @throws PrereqError from the checks, ExecError after them.
   */
  run(op: OpcodeOf<Id>, world: World): Promise<Json>;
}

/** What all units may use. */
export interface WorldPorts {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  /** The machine that the server runs on. */
  readonly masterHost: MasterHost;
  /** Who says where instances go. */
  readonly allocators: Allocators;
  readonly resolver: Resolver;
  /** What OP_QUERY tells of jobs, locks and filter rules. Absent where nobody may ask about them. */
  readonly queue?: QueueReader | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** What one run of a unit may use. */
export interface World extends WorldPorts {
  readonly jobId: JobId;
  /** Goes along with calls to nodes, which refuse those of a worker that was found dead. */
  readonly lease: string;
  /** Fires when the job was killed or this worker may no longer act. */
  readonly signal: CancelSignal;
  /** A line of the job's log; kept in order, durable before the result is. */
  log(message: Json, type?: LogType): void;
  /** Jobs that inherit the opcode's priority, comment and reasons. */
  submit: OperationContext["submit"];
  /** The unit's scripts: to be run when its checks are done. After it they run by themselves. */
  readonly hooks: Pick<HookRun, "before" | "afterOn" | "results">;
  /** Frees locks that are not needed any more. */
  release(locks: readonly LockName[]): Promise<void>;
}

/** Jobs to be submitted: opcodes with what differs from their defaults. */
export type ChildJobs = readonly (readonly JsonObject[])[];
