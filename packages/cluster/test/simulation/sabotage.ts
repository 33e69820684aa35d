// Sabotaged clusters, one for each invariant, each of which must be seen to fail.
import type { ConfigStore } from "@ganeti-ts/config";
import { type Change, jobStatusOf } from "@ganeti-ts/job-queue";
import type { LockRows, LockTable } from "@ganeti-ts/locking";
import type { NodeCallName } from "@ganeti-ts/node-calls";
import type { Job } from "@ganeti-ts/protocol";

export type Invariant =
  | "acknowledged is kept"
  | "nothing runs twice"
  | "instances run in one place"
  | "the configuration is consistent"
  | "the dead change nothing"
  | "the buried do nothing"
  | "all is in order at rest"
  | "addresses have owners"
  | "nothing is promised twice"
  | "reservations hold"
  | "reservations stay what they are"
  | "data are kept"
  | "the watcher repairs"
  | "copies follow"
  | "no error of the program"
  | "the program's own invariants hold"
  | "all ends";

export interface Sabotage {
  /** Acknowledged jobs vanish. */
  readonly forgets?: boolean;
  /** Opcodes are run again after the death of their worker. */
  readonly runsAgain?: boolean;
  /** Disks are left out of commits. */
  readonly losesDisks?: boolean;
  /** A staged instance is committed without the reservation of its address. */
  readonly losesAddresses?: boolean;
  /** Commits of servers declared dead are accepted. */
  readonly noFence?: boolean;
  /** Nodes are not notified of dead servers. */
  readonly notifiesNothing?: boolean;
  /** Nodes answer this call, and do nothing. */
  readonly ignores?: NodeCallName;
  /** Instances that are down stay down. */
  readonly noWatcher?: boolean;
  /** Answers to this call are nothing. */
  readonly garbles?: NodeCallName;
  /** Each lock that is held gets a second holder. */
  readonly doublesLocks?: boolean;
  /** A thief takes all space, before or after the check of reservations. */
  readonly thief?: "before" | "after";
  /** Values given at a failed commit stay in the reservation. */
  readonly keepsGiven?: boolean;
  /** Nodes lose all volumes. */
  readonly losesData?: boolean;
  /** A node runs an instance that does not exist. */
  readonly runsStray?: boolean;
  /** Operations do not end. */
  readonly hangs?: boolean;
  readonly staged?: Staged;
}

/**
 * Cases that random runs rarely contain, constructed in each run. The first commit or call of a server
 * leaves it only after its lease has expired, or it dies after a node has created a disk for it. The jobs are in
 * `staged-jobs.ts`.
 */
export type Staged = StagedEvent | StagedJob;
export type StagedEvent = "late commits" | "late calls" | "deaths after disks";
export type StagedJob = "an address" | "a reservation" | "a refused commit" | "a running instance";

export const brokenCopies: Readonly<Record<Invariant, Sabotage>> = {
  "acknowledged is kept": { forgets: true },
  "nothing runs twice": { runsAgain: true },
  "the configuration is consistent": { losesDisks: true },
  "the dead change nothing": { noFence: true, staged: "late commits" },
  "the buried do nothing": { notifiesNothing: true, staged: "late calls" },
  "all is in order at rest": { ignores: "blockdev_remove", staged: "deaths after disks" },
  "addresses have owners": { losesAddresses: true, staged: "an address" },
  "nothing is promised twice": { thief: "before", staged: "a reservation" },
  "reservations hold": { thief: "after", staged: "a reservation" },
  "reservations stay what they are": { keepsGiven: true, staged: "a refused commit" },
  "data are kept": { losesData: true },
  "instances run in one place": { runsStray: true },
  "the watcher repairs": { noWatcher: true, staged: "a running instance" },
  "copies follow": { ignores: "upload_file_single" },
  "no error of the program": { garbles: "all_instances_info" },
  "the program's own invariants hold": { doublesLocks: true },
  "all ends": { hangs: true },
};

export const losingDisks = (inner: ConfigStore): ConfigStore =>
  losing(inner, (rows) => rows.filter(({ type }) => type !== "disk"));

/** The reserved addresses of the staged network are left out of commits. */
export const losingAddresses = (inner: ConfigStore): ConfigStore =>
  losing(inner, (rows) =>
    rows.filter(
      ({ type, document }) =>
        type !== "network" || !/"pool".*"reservations":"[01]*1/.test(document ?? ""),
    ),
  );

type Rows = Parameters<ConfigStore["commit"]>[0]["rows"];

const losing = (inner: ConfigStore, kept: (rows: Rows) => Rows): ConfigStore => ({
  shared: inner.shared,
  load: () => inner.load(),
  changesSince: (serial) => inner.changesSince(serial),
  commit: (given) => inner.commit({ ...given, rows: kept(given.rows) }),
  onNews: (listener) => inner.onNews(listener),
  close: () => inner.close(),
});

/** Puts running jobs of a dead worker back into the queue. */
export const runningAgain = (changes: readonly Change[]): readonly Change[] =>
  changes.map((change) => {
    if (change.kind !== "job") return change;
    const job = queuedAgain(change.job);
    return { ...change, job, status: jobStatusOf(job.opcodes) };
  });

function queuedAgain(job: Job): Job {
  const isDead = (result: unknown) => String(result).startsWith("detected death");
  if (!job.opcodes.some(({ result }) => isDead(result))) return job;
  const opcodes = job.opcodes.map((opcode) =>
    isDead(opcode.result) ? { ...opcode, status: "queued" as const, result: null } : opcode,
  );
  return { ...job, opcodes, ended: null };
}

/** Rows of the table with a second holder of each lock. */
export function doubled(table: LockTable): LockRows {
  const { holds, waits } = table.rows();
  const thief = { id: "thief", token: "thief" };
  return { holds: [...holds, ...holds.map((one) => ({ ...one, owner: thief }))], waits };
}
