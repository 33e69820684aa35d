/** A clock that moves only when it is told to. */
import type { ConfdClientClock } from "../src/index.js";

export interface VirtualClock extends ConfdClientClock {
  /** Runs what is due by then, in the order of its times. */
  advance(byMs: number): Promise<void>;
  /** Number of calls that are still to come. */
  readonly timerCount: number;
}

export function virtualClock(startSeconds = 1_700_000_000): VirtualClock {
  let nowMs = startSeconds * 1000;
  const timers = new Set<{ readonly atMs: number; readonly then: () => void }>();
  return {
    wallMicros: () => nowMs * 1000,
    after(delayMs, then) {
      const timer = { atMs: nowMs + delayMs, then };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(byMs) {
      const endMs = nowMs + byMs;
      for (;;) {
        const [next] = [...timers]
          .filter((timer) => timer.atMs <= endMs)
          .sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        nowMs = next.atMs;
        timers.delete(next);
        next.then();
        await settled();
      }
      nowMs = endMs;
      await settled();
    },
    get timerCount() {
      return timers.size;
    },
  };
}

/** Lets promises that are resolved continue. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
