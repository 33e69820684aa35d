/** Process: a simulated process that can freeze for a while, and can end between any two effects. */
import type { Clock } from "@ganeti-ts/protocol";
import type { Dice } from "./dice.js";

/** Probabilities of faults, and latencies; a run changes them when it is to settle. */
export interface Rates {
  /** The process ends before or after an effect. */
  crash: number;
  /** The same for effects that are made on every node of a cluster. Default: `crash`. */
  crashOnEachNode?: number;
  /** A notification is lost. */
  loseNews: number;
  /** A notification arrives twice. Default: never. */
  doubleNews?: number;
  /** Maximum latency (ms) of an effect, in each direction. */
  latencyMs: number;
}

/** A process with a name, on the clock of its simulation: its timers do not fire after its death. */
export class Process implements Clock {
  isAlive = true;
  frozenUntil = 0;
  /** Number of effects so far. */
  effects = 0;
  /** A promise that a dead process waits for. */
  readonly never = new Promise<never>(() => {});
  readonly name: string;
  readonly #clock: Clock;
  readonly #dice: Dice;
  readonly #rates: Rates;

  constructor(name: string, clock: Clock, dice: Dice, rates: Rates) {
    this.name = name;
    this.#clock = clock;
    this.#dice = dice;
    this.#rates = rates;
  }

  now(): number {
    return this.#clock.now();
  }

  wallMicros(): number {
    return this.#clock.wallMicros();
  }

  /** `then` runs in this process: not after its death, and not while it is frozen. */
  after(delayMs: number, then: () => void): () => void {
    let stop = () => {};
    const wait = (ms: number) => {
      stop = this.#clock.after(Math.max(0, ms), () => {
        if (!this.isAlive) return;
        const left = this.frozenUntil - this.now();
        if (left > 0) wait(left);
        else then();
      });
    };
    wait(delayMs);
    return () => stop();
  }

  freeze(ms: number): void {
    this.frozenUntil = Math.max(this.frozenUntil, this.now() + ms);
  }

  die(): void {
    this.isAlive = false;
  }

  /** An action outside of the process; its answer arrives if the process still lives. */
  effect<T>(act: () => Promise<T> | T): Promise<T> {
    return this.#effect(act, () => this.#rates.crash);
  }

  /** An effect that is made on every node of the cluster. */
  effectOnEachNode<T>(act: () => Promise<T> | T): Promise<T> {
    return this.#effect(act, () => this.#rates.crashOnEachNode ?? this.#rates.crash);
  }

  /** An effect of a process that only looks: it does not end the process. */
  look<T>(act: () => Promise<T> | T): Promise<T> {
    return this.#effect(act, () => 0);
  }

  /** Notifies the listener late, twice or never. */
  tell(listener: () => void): void {
    const { loseNews, doubleNews = 0, latencyMs } = this.#rates;
    if (this.#dice.chance(loseNews)) return;
    const times = doubleNews > 0 && this.#dice.chance(doubleNews) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      this.after(this.#dice.fraction() * latencyMs, listener);
    }
  }

  /** Some time passes, as on a network; never resolves if the process ends meanwhile. */
  pause(mostMs = this.#rates.latencyMs): Promise<void> {
    return new Promise((resolve) => this.after(this.#dice.fraction() * mostMs, resolve));
  }

  async #effect<T>(act: () => Promise<T> | T, crashRate: () => number): Promise<T> {
    this.effects++;
    await this.pause();
    await this.#mayEnd(crashRate());
    let outcome: { readonly value: T } | { readonly error: unknown };
    try {
      outcome = { value: await act() };
    } catch (error) {
      outcome = { error };
    }
    await this.#mayEnd(crashRate());
    await this.pause();
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  async #mayEnd(rate: number): Promise<void> {
    if (!this.#dice.chance(rate / 2)) return;
    this.die();
    await this.never;
  }
}
