/** Server of configuration queries inside the daemon, which runs while the node is a master candidate. */
import type { Clock } from "@ganeti-ts/protocol";
import type { DaemonLog } from "../context.js";

/** Interval (ms) of the check whether the node's role in the cluster has changed. */
const lookMs = 5_000;

/** A running server of configuration queries. */
export interface RunningConfd {
  /** Whether it has ended by itself. */
  readonly hasEnded: () => boolean;
  close(): Promise<void>;
}

interface Parts {
  readonly isServed: () => boolean;
  /** Resolves when queries are answered. */
  readonly start: () => Promise<RunningConfd>;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<DaemonLog, "info" | "warn">;
}

/** Starts and stops the server with the role of the node. A server that cannot start, or has ended, is started again. */
export function confdWhileCandidate({ isServed, start, clock, log }: Parts): {
  close(): Promise<void>;
} {
  let running: RunningConfd | undefined;
  let failure = "";
  let isOver = false;
  let cancel = (): void => {};

  const follow = async (): Promise<void> => {
    if (running?.hasEnded()) running = undefined;
    const isWanted = isServed();
    if (isWanted && running === undefined) {
      running = await start();
      failure = "";
    } else if (!isWanted && running !== undefined) {
      await running.close();
      running = undefined;
      log.info("configuration queries are no longer answered");
    }
  };
  const look = async (): Promise<void> => {
    await follow().catch((error: Error) => {
      // The same reason is logged once, not every few seconds.
      if (error.message !== failure) {
        log.warn(`configuration queries are not answered: ${error.message}`);
      }
      failure = error.message;
    });
    if (isOver) return;
    cancel = clock.after(lookMs, () => {
      looking = look();
    });
  };
  let looking = look();
  return {
    async close() {
      isOver = true;
      cancel();
      await looking;
      await running?.close();
    },
  };
}
