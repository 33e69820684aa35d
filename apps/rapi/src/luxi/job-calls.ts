/** LUXI methods for jobs: submission, waiting, cancelling, the archive, the drain flag. */
import { GanetiError, type LuxiHandler, type OpcodeArgument } from "@ganeti-ts/luxi";
import { type JobId, type Json, type JsonObject, nanosecondsOf } from "@ganeti-ts/protocol";
import type { LuxiWorld } from "./world.js";

export type JobCalls = Pick<
  LuxiHandler,
  | "submitJob"
  | "submitJobToDrainedQueue"
  | "submitManyJobs"
  | "waitForJobChange"
  | "queryJobs"
  | "cancelJob"
  | "archiveJob"
  | "autoArchiveJobs"
  | "changeJobPriority"
  | "setDrainFlag"
  | "setWatcherPause"
>;

export function jobCalls(world: LuxiWorld): JobCalls {
  const { queue, objects } = world;
  const traced = (opcodes: readonly OpcodeArgument[]) => withCaller(opcodes, world);
  return {
    submitJob: ({ opcodes }) => queue.submit(traced(opcodes)),
    submitJobToDrainedQueue: ({ opcodes }) => queue.submitToDrained(traced(opcodes)),
    submitManyJobs: ({ jobs }) => queue.submitMany(jobs.map(traced)),

    async waitForJobChange({ id, fields, previous, serial, seconds }, { signal }) {
      const previousValues = Array.isArray(previous) ? (previous as readonly Json[]) : null;
      // Without a change clients are given the values that they have; Ganeti's understand
      // "nochange" as well, but then say what the job waits for, which they never do otherwise.
      const unchanged = [previousValues ?? [], []] as const;
      try {
        const answer = await queue.waitForChange(id, {
          fields,
          previousValues,
          previousSerial: serial,
          timeoutMs: seconds * 1000,
          signal,
        });
        return answer === "nochange" ? unchanged : [answer.values, answer.log];
      } catch (error) {
        if (signal.aborted && error === signal.reason) return unchanged;
        throw error;
      }
    },

    async queryJobs({ ids, fields }) {
      const asked = [...new Set(ids ?? [])];
      const rows = await queue.query(asked, fields);
      return rows.map((row, at) => row ?? missingJob(asked[at] as JobId, fields));
    },

    cancelJob: ({ id, kill }) => queue.cancel(id, { kill }),
    archiveJob: ({ id }) => queue.archive(id),
    autoArchiveJobs: ({ age, timeout }) => queue.autoArchive(age, timeout),
    changeJobPriority: ({ id, priority }) => queue.changePriority(id, priority),

    async setDrainFlag({ drained }) {
      await queue.change({ drained });
      return true;
    },

    async setWatcherPause({ until }) {
      const answer = await objects.pauseWatcher(until);
      if (!answer.ok) throw new GanetiError("GenericError", [answer.message]);
      return until;
    },
  };
}

const missingJob = (id: JobId, fields: readonly string[]): readonly Json[] =>
  fields.map((field) => (field === "id" ? id : null));

const callerSource = "gnt:client";

/**
 * The opcodes with their caller in the reason trail: Ganeti's commands name themselves
 * (`gnt:client:gnt-instance`), for all other clients an entry is added.
 */
function withCaller(
  opcodes: readonly OpcodeArgument[],
  { clock }: LuxiWorld,
): readonly JsonObject[] {
  return opcodes.map((opcode) => {
    const reason = opcode.reason as readonly Json[];
    const isNamed = reason.some((entry) => String((entry as Json[])[0]).startsWith(callerSource));
    if (isNamed) return opcode;
    const caller = [callerSource, "", nanosecondsOf(clock.wallMicros())];
    return { ...opcode, reason: [...reason, caller] };
  });
}
