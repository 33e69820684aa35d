/** Watcher: restarts instances that went down and activates disks after reboots of nodes, in rounds. */
import { CancelSource } from "@ganeti-ts/job-queue";
import type { LockName } from "@ganeti-ts/locking";
import { type CancelSignal, type GroupObject, pause } from "@ganeti-ts/protocol";
import { watchGroup } from "./group-round.js";
import { JobSlots } from "./job-slots.js";
import type { RoundContext, WatcherCounts, WatcherPorts } from "./watcher-ports.js";

export interface Watcher {
  readonly counts: Readonly<WatcherCounts>;
  /** Whether this worker is the one that watches. */
  readonly isWatching: boolean;
  /** Starts no further rounds; resolves when the current one has stopped waiting for its jobs. */
  stop(): Promise<void>;
}

/** Lock of the worker that watches, held until its lease ends. */
const watchLock: LockName = "cluster/watcher";

/** Age (s) after its end at which a job is archived. Archiving takes at most `archiveForSeconds` per round. */
const archiveAgeSeconds = 6 * 3600;
const archiveForSeconds = 10;

/**
 * Time (ms) between the starts of the rounds of two groups, as between the processes of Ganeti's watcher; less if the
 * interval is too short for all groups. If all started at once, the rounds of a large cluster would hold the answers of all
 * nodes in memory and the locks of all instances at the same time.
 */
const groupGapMs = 1000;

/** Key of the archiving task among the running tasks; the others have UUIDs of groups. */
const archiving = "archive";

/**
 * Starts the watcher. Rounds of a group do not overlap, except for their jobs: if one takes longer than the interval, the next
 * one is skipped.
 */
export function startWatcher(ports: WatcherPorts): Watcher {
  const { log } = ports;
  const counts: WatcherCounts = {
    ...{ rounds: 0, restarts: 0, cleanups: 0, activations: 0, givenUp: 0 },
  };
  const ending = new CancelSource();
  // Half of the slots stay free for other clients' jobs, however many instances are down.
  const slots = new JobSlots(() => Math.floor(ports.queue.settings.runningMax / 2));
  const owner = { id: "watcher", token: ports.lease, lease: ports.lease };
  const underWay = new Map<string, Promise<unknown>>();
  const background = new Set<Promise<void>>();
  let isWatching = false;

  const report = (error: unknown, message: string, facts: object = {}) => {
    if (!ending.signal.aborted) log.error({ error, ...facts }, message);
  };
  const guarded = (group: GroupObject, work: () => Promise<void>): Promise<void> =>
    work().catch((error) =>
      report(error, "watcher: round of a group failed", { group: group.name }),
    );
  const context: RoundContext = {
    ...{ ports, counts, slots, signal: ending.signal },
    ...{ pending: new Set(), verifying: new Set() },
    inBackground(group, work) {
      const done = guarded(group, work).finally(() => background.delete(done));
      background.add(done);
    },
  };
  const watch = (group: GroupObject) =>
    guarded(group, () => watchGroup(group, context)).finally(() => underWay.delete(group.uuid));
  const archive = () => {
    if (underWay.has(archiving)) return;
    const done = ports.queue.autoArchive(archiveAgeSeconds, archiveForSeconds);
    const settled = done
      .catch((error) => report(error, "watcher: old jobs were not archived"))
      .finally(() => underWay.delete(archiving));
    underWay.set(archiving, settled);
  };
  const begin = async () => {
    isWatching ||= await ports.locks.acquire(owner, [{ lock: watchLock, mode: "exclusive" }], {
      timeoutMs: 0,
    });
    if (!isWatching || !(await mayWork(ports))) return;
    counts.rounds++;
    archive();
    await eachGroup(ports, ending.signal, (group) => {
      if (!underWay.has(group.uuid)) underWay.set(group.uuid, watch(group));
    });
  };
  const timer = eachInterval(ports, () =>
    begin().catch((error) => report(error, "watcher: round failed")),
  );
  return {
    counts,
    get isWatching() {
      return isWatching;
    },
    async stop() {
      timer.stop();
      ending.fire(new Error("the watcher has been stopped"));
      await timer.round();
      await Promise.all(underWay.values());
      await Promise.all(background);
      // This fails if the lease was lost, and the lock with it.
      if (isWatching) await ports.locks.release(owner, [watchLock]).catch(() => undefined);
      isWatching = false;
    },
  };
}

/** Calls `begin` once per interval, unless its previous call, in `round`, has not ended. */
function eachInterval(
  { clock, intervalMs, queue }: WatcherPorts,
  begin: () => Promise<void>,
): { readonly stop: () => void; readonly round: () => Promise<void> } {
  let isBeginning = false;
  let cancel = () => {};
  let round: Promise<void> = Promise.resolve();
  const later = () => {
    cancel = clock.after(intervalMs, () => {
      if (!queue.isOpen) return;
      later();
      if (isBeginning) return;
      isBeginning = true;
      round = begin().finally(() => {
        isBeginning = false;
      });
    });
  };
  later();
  return { stop: () => cancel(), round: () => round };
}

/** Calls `visit` for each group in turn, until the watcher is paused or stopped. @throws the signal's reason */
async function eachGroup(
  ports: WatcherPorts,
  signal: CancelSignal,
  visit: (group: GroupObject) => void,
): Promise<void> {
  const groups = [...(await ports.refreshed()).groups()];
  const gapMs = Math.min(groupGapMs, ports.intervalMs / groups.length);
  for (const [at, { uuid }] of groups.entries()) {
    if (at > 0) {
      await pause(ports.clock, gapMs, signal);
      if (!ports.queue.isOpen || !(await mayWork(ports))) return;
    }
    const group = (await ports.refreshed()).group(uuid);
    if (group !== undefined) visit(group);
  }
}

/** False while the watcher is paused or the queue accepts no jobs. */
async function mayWork({ pausedUntil, clock, queue, log }: WatcherPorts): Promise<boolean> {
  const until = await pausedUntil();
  if (until !== null && until > clock.wallMicros() / 1e6) return false;
  if (!queue.settings.drained) return true;
  log.warn({}, "watcher: the queue is drained, so nothing is restarted");
  return false;
}
