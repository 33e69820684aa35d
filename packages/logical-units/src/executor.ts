/** All units as the executor of a job queue. */

import { ConfigError, type Snapshot } from "@ganeti-ts/config";
import type { Executor, OperationContext } from "@ganeti-ts/job-queue";
import { ExecError, OperationError, PrereqError, TryAgainError } from "@ganeti-ts/job-queue";
import type { LockRequest } from "@ganeti-ts/locking";
import type { AnyOpcode, JobId, Json, Opcode } from "@ganeti-ts/protocol";
import { decodeOpcode, reportUnless } from "@ganeti-ts/protocol";
import { allUnits } from "./all-units.js";
import { tellsConfigUpdate } from "./hooks/config-update.js";
import { HookRun } from "./hooks/hook-run.js";
import { checkFinished } from "./instance/plan/commit-claim.js";
import { holdsEnough, mergedRequests } from "./unit/locks.js";
import { wrongInput } from "./unit/refusals.js";
import type { Unit, World, WorldPorts } from "./unit/unit.js";

/** Runs every opcode that has a unit; any other opcode fails. */
export function createExecutor(ports: WorldPorts, units: readonly Unit[] = allUnits): Executor {
  const unitOf = new Map<string, Unit>(units.map((unit) => [unit.opcode, unit]));
  // The queue passes an opcode up to three times; its input never changes.
  const known = new WeakMap<Opcode, KnownOpcode>();
  const read = (opcode: Opcode): KnownOpcode => {
    const before = known.get(opcode);
    if (before !== undefined) return before;
    const unit = unitOf.get(opcode.OP_ID);
    if (unit === undefined) {
      throw new OperationError("OpCodeUnknown", [`OP_ID ${opcode.OP_ID} unsupported`]);
    }
    const decoded = decodeOpcode(opcode);
    if (!decoded.ok) wrongInput(decoded.problem);
    const { opcode: op } = decoded;
    const made = { unit, op, neededLocks: locksBySnapshot(unit, op) };
    known.set(opcode, made);
    return made;
  };

  return {
    locks(opcode) {
      try {
        return read(opcode).neededLocks(ports.config.snapshot);
      } catch (error) {
        // Another server may have changed the configuration: the run itself looks the names up
        // again and reports the error.
        if (error instanceof OperationError || error instanceof ConfigError) return [];
        throw asOperationError(error);
      }
    },

    async run(opcode, context) {
      const written: Promise<void>[] = [];
      try {
        const { unit, op, neededLocks } = read(opcode);
        const now = await ports.config.refresh();
        if (!holdsEnough(context.locks, neededLocks(now))) {
          throw new TryAgainError("what it is about has moved; it needs other locks");
        }
        checkFinished({ now, jobId: context.jobId }, neededLocks(now));
        const result = await runWithHooks(ports, unit, op, worldOf(ports, op, context, written));
        // A worker that has lost its lease does not know what recovery has done with the claims.
        if (!context.signal.aborted) reportHeld(ports.config.snapshot, opcode, context.jobId);
        return result;
      } catch (error) {
        throw error instanceof TryAgainError ? error : asOperationError(error);
      } finally {
        await Promise.all(written);
      }
    },
  };
}

interface KnownOpcode {
  readonly unit: Unit;
  readonly op: AnyOpcode;
  readonly neededLocks: (now: Snapshot) => readonly LockRequest[];
}

/** The locks of an opcode, computed once for each snapshot: those of a verification are thousands. */
function locksBySnapshot(unit: Unit, op: AnyOpcode): KnownOpcode["neededLocks"] {
  // Opcodes of ended jobs must not keep old snapshots.
  const known = new WeakMap<Snapshot, readonly LockRequest[]>();
  return (now) => {
    const requests = known.get(now) ?? mergedRequests(unit.locks(op, now));
    known.set(now, requests);
    return requests;
  };
}

/** The hooks run after the operation, unless it only checked; the master's config-update hooks run after some changes. */
async function runWithHooks(
  ports: WorldPorts,
  unit: Unit,
  op: AnyOpcode,
  world: Omit<World, "hooks">,
): Promise<Json> {
  const hooks = new HookRun(world, unit.hooks, op);
  const { serial } = ports.config.snapshot;
  try {
    const result = await unit.run(op, { hooks, ...world });
    if (!op.dry_run) await hooks.after();
    return result;
  } finally {
    const isChanged = ports.config.snapshot.serial !== serial;
    if (isChanged && tellsConfigUpdate(op)) await hooks.configChanged();
  }
}

/** An operation that has succeeded leaves nothing claimed but devices that are only there to be removed. O(claims). */
function reportHeld(now: Snapshot, { OP_ID }: Opcode, jobId: JobId): void {
  const held = [...now.claims()].find(({ kind, job }) => job === jobId && kind !== "removal");
  reportUnless(
    held === undefined,
    () =>
      `claim ${held?.uuid} of job ${jobId}: a ${held?.kind} is left by ${OP_ID}, which succeeded`,
  );
}

function worldOf(
  ports: WorldPorts,
  { reason }: AnyOpcode,
  context: OperationContext,
  written: Promise<void>[],
): Omit<World, "hooks"> {
  const { jobId, lease, signal } = context;
  return {
    jobId,
    reason,
    lease,
    signal,
    log: (message: Json, type) => {
      written.push(context.log(message, type));
    },
    submit: (jobs) => context.submit(jobs),
    release: (locks) => context.release(locks),
    ...ports,
  };
}

/**
 * Refusals of the configuration become refusals of the operation with the same text; any other
 * error is an OpExecError, because clients of Ganeti only know Ganeti's classes.
 */
function asOperationError(error: unknown): OperationError {
  if (error instanceof OperationError) return error;
  if (!(error instanceof ConfigError)) {
    const text = error instanceof Error ? error.message || error.name : String(error);
    return new ExecError(text, { cause: error });
  }
  const { code, message } = error;
  if (code === "conflict" || code === "lease_lost") return new ExecError(message, { cause: error });
  return new PrereqError(code, message, { cause: error });
}
