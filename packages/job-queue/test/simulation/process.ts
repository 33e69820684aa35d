// A process of the simulation: it can stand still for a while, and it can end between any two things it does.
import type { Chance } from "./chance.js";
import type { Timeline } from "./timeline.js";

export class Process {
  isAlive = true;
  diedAt = Infinity;
  frozenUntil = 0;
  readonly name: string;
  readonly #timeline: Timeline;
  readonly #chance: Chance;

  constructor(name: string, timeline: Timeline, chance: Chance) {
    this.name = name;
    this.#timeline = timeline;
    this.#chance = chance;
  }

  /** `run` happens in this process: not after its death, and not while it stands still. */
  after(delayMs: number, run: () => void): () => void {
    let stop = () => {};
    const wait = (ms: number) => {
      stop = this.#timeline.after(ms, () => {
        if (!this.isAlive) return;
        const left = this.frozenUntil - this.#timeline.now;
        if (left > 0) wait(left);
        else run();
      });
    };
    wait(delayMs);
    return () => stop();
  }

  /** Some time passes, as on a network; never comes back if the process ends meanwhile. */
  pause(mostMs: number): Promise<void> {
    return new Promise((resolve) => this.after(this.#chance.fraction() * mostMs, resolve));
  }

  /** Resolves never: what a dead process waits for. */
  readonly never = new Promise<never>(() => {});

  /** It stands still from now on, for so long at least. */
  freeze(ms: number): void {
    this.frozenUntil = Math.max(this.frozenUntil, this.#timeline.now + ms);
  }

  die(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.diedAt = this.#timeline.now;
  }

  now(): number {
    return this.#timeline.now;
  }
}
