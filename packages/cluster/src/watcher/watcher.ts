/** The watcher: in rounds, instances that went down come up again, and so do disks after a reboot of a node. */
import { CancelSource } from "@ganeti-ts/job-queue";
import type { LockName } from "@ganeti-ts/locking";
import type { GroupObject } from "@ganeti-ts/protocol";
import { watchGroup } from "./group-round.js";
import { JobSlots } from "./job-slots.js";
import type { WatcherCounts, WatcherPorts } from "./watcher-ports.js";

export interface Watcher {
  readonly counts: Readonly<WatcherCounts>;
  /** Whether this worker is the one that watches. */
  readonly isWatching: boolean;
  /** Begins no further round; resolves when the current one has stopped waiting for its jobs. */
  stop(): Promise<void>;
}

/** The one worker that holds it watches, until its lease ends. */
const watchLock: LockName = "cluster/watcher";

/** Jobs that ended longer ago than this (s) are archived, for at most so many seconds in a round. */
const archiveAgeSeconds = 6 * 3600;
const archiveForSeconds = 10;

/** Key of the archiving among the running tasks, which otherwise have UUIDs of groups. */
const archiving = "archive";

/** Rounds of a group do not overlap: one that takes longer than the interval leaves out the next. */
export function startWatcher(ports: WatcherPorts): Watcher {
  const { clock, log, intervalMs } = ports;
  const counts: WatcherCounts = {
    ...{ rounds: 0, restarts: 0, cleanups: 0, activations: 0, givenUp: 0 },
  };
  const ending = new CancelSource();
  // Other clients' jobs keep half of the slots, however many instances are down.
  const slots = new JobSlots(() => Math.floor(ports.queue.settings.runningMax / 2));
  const owner = { id: "watcher", token: ports.lease, lease: ports.lease };
  const underWay = new Map<string, Promise<void>>();
  let isWatching = false;
  let stopTimer = () => {};
  let round: Promise<void> = Promise.resolve();

  const report = (error: unknown, message: string, facts: object = {}) => {
    if (!ending.signal.aborted) log.error({ error, ...facts }, message);
  };
  const watch = async (group: GroupObject) => {
    try {
      await watchGroup(group, { ports, counts, slots, signal: ending.signal });
    } catch (error) {
      report(error, "watcher: round of a group failed", { group: group.name });
    } finally {
      underWay.delete(group.uuid);
    }
  };
  const archive = () => {
    if (underWay.has(archiving)) return;
    const done = ports.queue.autoArchive(archiveAgeSeconds, archiveForSeconds);
    const settled = done
      .then(
        () => {},
        (error) => report(error, "watcher: old jobs were not archived"),
      )
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
    for (const group of (await ports.refreshed()).groups()) {
      if (!underWay.has(group.uuid)) underWay.set(group.uuid, watch(group));
    }
  };
  const later = () => {
    stopTimer = clock.after(intervalMs, () => {
      if (!ports.queue.isOpen) return;
      round = begin().catch((error) => report(error, "watcher: round failed"));
      later();
    });
  };
  later();
  return {
    counts,
    get isWatching() {
      return isWatching;
    },
    async stop() {
      stopTimer();
      ending.fire(new Error("the watcher has been stopped"));
      await round;
      await Promise.all(underWay.values());
      if (isWatching) await ports.locks.release(owner, [watchLock]);
      isWatching = false;
    },
  };
}

/** Not while it is paused, and not while the queue takes no jobs. */
async function mayWork({ pausedUntil, clock, queue, log }: WatcherPorts): Promise<boolean> {
  const until = await pausedUntil();
  if (until !== null && until > clock.wallMicros() / 1e6) return false;
  if (!queue.settings.drained) return true;
  log.warn({}, "watcher: the queue is drained, so nothing is restarted");
  return false;
}
