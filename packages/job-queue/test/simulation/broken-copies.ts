// The queue broken on purpose, one way for each invariant: so that each is seen to fail.
import { isFinalized, type Job, microsOf, type Timestamp } from "@ganeti-ts/protocol";
import { type Change, type JobChange, jobStatusOf } from "../../src/index.js";
import { detectDeath } from "../../src/running/transitions.js";
import type { Invariant } from "./auditor.js";
import type { Sabotage } from "./sabotage.js";
import { stagedCases } from "./staged.js";

/** A fresh copy each time: some of them count. */
export const brokenCopies: Readonly<Record<Invariant, () => Sabotage>> = {
  "acknowledged is kept": () => ({ store: { changes: withoutNewJobs } }),
  "nothing runs twice": () => ({
    store: { changes: eachJob(runAgain) },
    staged: stagedCases["a dead worker"],
  }),
  "begun is recorded": () => ({ store: { changes: eachJob(notYetRunning) } }),
  "only what has begun dies": () => ({
    store: { changes: failAtBurial },
    staged: stagedCases["a dead worker"],
  }),
  "results are true": () => ({ lies: true }),
  "ended is ended": () => ({ store: { changes: secondThoughts() } }),
  "documents are whole": () => ({
    store: { changes: eachJob(({ ended: _, ...job }) => ({ ...job, ended: null })) },
  }),
  "limits hold": () => ({
    store: { news: (news) => ({ ...news, ...(news.rules ? { rules: [] } : {}) }) },
    staged: stagedCases["a limit"],
  }),
  "held for a cause": () => ({
    store: { news: (news) => ({ ...news, jobs: news.jobs.filter(({ id }) => id % 2 === 0) }) },
    staged: stagedCases["jobs of another"],
  }),
  "locks exclude": () => ({
    locks: { grantsAll: true },
    staged: stagedCases["a late worker"],
  }),
  "the dead hold nothing": () => ({
    locks: { keepsDead: true },
    staged: stagedCases["a dead worker"],
  }),
  "the fenced write nothing": () => ({ noFence: true, staged: stagedCases["a late worker"] }),
  "the buried do nothing": () => ({
    refusesNothing: true,
    staged: stagedCases["a late worker"],
  }),
  "no delay without cause": () => ({
    noPoll: true,
    store: { hearsNothing: true },
    staged: stagedCases["jobs of another"],
  }),
  "calls are answered": () => ({ store: { readsNothing: true } }),
  "all ends": () => ({ hangs: true }),
};

/** Submission is acknowledged, and the job forgotten. */
const withoutNewJobs = (changes: readonly Change[]): readonly Change[] =>
  changes.filter((change) => change.kind !== "job" || !change.isNew);

const eachJob =
  (change: (job: Job) => Job) =>
  (changes: readonly Change[]): readonly Change[] =>
    changes.map((one) => {
      if (one.kind !== "job") return one;
      const job = change(one.job);
      return { ...one, job, status: jobStatusOf(job.opcodes) };
    });

/** A running job goes back into the queue when its worker dies. */
function runAgain(job: Job): Job {
  if (!job.opcodes.some(({ result }) => String(result).startsWith("detected death"))) return job;
  const opcodes = job.opcodes.map((opcode) =>
    opcode.status === "error" ? { ...opcode, status: "queued" as const, result: null } : opcode,
  );
  return { ...job, opcodes, ended: null };
}

/** That an operation is about to be called is not written down. */
const notYetRunning = (job: Job): Job => ({
  ...job,
  opcodes: job.opcodes.map((opcode) =>
    opcode.status === "running" ? { ...opcode, status: "waiting", executed: null } : opcode,
  ),
});

/** Every job written in a step that buries a worker has failed. */
function failAtBurial(changes: readonly Change[]): readonly Change[] {
  if (!changes.some(({ kind }) => kind === "bury")) return changes;
  return changes.map((change) => {
    if (change.kind !== "job" || isFinalized(change.status)) return change;
    const job = detectDeath(change.job, microsOf(change.job.received as Timestamp));
    return { ...change, job, status: "error", claim: null };
  });
}

/** A result is changed after all. */
function secondThoughts(): (changes: readonly Change[]) => readonly Change[] {
  let ended: JobChange | undefined;
  return (changes) => {
    const again = ended;
    const last = changes.findLast((one) => one.kind === "job" && isFinalized(one.status));
    ended = last === undefined ? ended : (last as JobChange);
    if (
      again === undefined ||
      changes.some((one) => one.kind === "job" && one.job.id === again.job.id)
    ) {
      return changes;
    }
    const opcodes = again.job.opcodes.map((opcode) => ({
      ...opcode,
      result: "on second thoughts",
    }));
    return [...changes, { ...again, job: { ...again.job, opcodes }, log: [] }];
  };
}
