/** Disks that are being synchronised, as bars at the bottom of a terminal that move on by themselves. */
import type { LiveLine } from "../live-line.js";
import { type SyncProgress, syncBars, syncProgress } from "./sync-progress.js";

const refreshMs = 250;

export class SyncLine {
  readonly #live: LiveLine;
  readonly #now: () => bigint;
  readonly #columns: () => number;
  readonly #said = new Map<string, { readonly progress: SyncProgress; readonly at: bigint }>();
  #timer: NodeJS.Timeout | undefined;

  /** `now`: nanoseconds; `columns`: of the terminal. */
  constructor(live: LiveLine, now: () => bigint, columns: () => number) {
    this.#live = live;
    this.#now = now;
    this.#columns = columns;
  }

  /** Whether the message was about that, and needs no line of its own. */
  takes(message: string): boolean {
    const progress = syncProgress(message);
    if (progress === undefined) return false;
    this.#said.set(progress.disk, { progress, at: this.#now() });
    this.#timer ??= setInterval(() => this.show(), refreshMs);
    this.show();
    return true;
  }

  /** Whether there is something to show. */
  show(): boolean {
    if (this.#said.size === 0) return false;
    const now = this.#now();
    const states = [...this.#said.values()].map(({ progress, at }) => ({
      ...progress,
      age: Number(now - at) / 1e9,
    }));
    this.#live.show(syncBars(states, this.#columns() - 1));
    return true;
  }

  /** Whatever comes next is about something else. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#said.clear();
    this.#live.clear();
  }
}
