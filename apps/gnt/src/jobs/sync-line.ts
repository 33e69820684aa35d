/** Synchronising disks as bars at the bottom of a terminal, which advance between messages. */
import type { LiveLine } from "../live-line.js";
import { type SyncProgress, syncBars, syncProgress } from "./sync-progress.js";

const refreshMs = 250;

export class SyncLine {
  readonly #live: LiveLine;
  readonly #now: () => bigint;
  readonly #said = new Map<string, { readonly progress: SyncProgress; readonly at: bigint }>();
  #timer: NodeJS.Timeout | undefined;

  /** `now`: nanoseconds. */
  constructor(live: LiveLine, now: () => bigint) {
    this.#live = live;
    this.#now = now;
  }

  /** Whether the message is about progress and needs no line of its own. */
  takes(message: string): boolean {
    const progress = syncProgress(message);
    if (progress === undefined) return false;
    this.#said.set(progress.disk, { progress, at: this.#now() });
    this.#timer ??= setInterval(() => this.show(), refreshMs);
    this.show();
    return true;
  }

  /** Draws the bars; false if there are none. */
  show(): boolean {
    if (this.#said.size === 0) return false;
    this.#live.show((columns) => {
      const now = this.#now();
      const states = [...this.#said.values()].map(({ progress, at }) => ({
        ...progress,
        age: Number(now - at) / 1e9,
      }));
      return syncBars(states, columns);
    });
    return true;
  }

  /** Called when the messages turn to something else. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#said.clear();
    this.#live.clear();
  }
}
