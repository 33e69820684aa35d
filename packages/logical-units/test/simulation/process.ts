// Process of a simulated server: can freeze for a while, and can end between any two effects.
import type { Clock } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit";

/** Probabilities of faults; all 0 once the run is to settle. */
export interface Rates {
  /** The process ends before or after an effect. */
  crash: number;
  /** The same for effects that are made on every node of the cluster. */
  crashOnEachNode: number;
  /** A notification is lost. */
  loseNews: number;
  /** Maximum latency (ms) of an effect, in each direction. */
  latencyMs: number;
}

export class Process implements Clock {
  isAlive = true;
  frozenUntil = 0;
  /** Effects so far. */
  effects = 0;
  readonly #clock: Clock;
  readonly #dice: Dice;
  readonly #rates: Rates;
  readonly #never = new Promise<never>(() => {});

  constructor(clock: Clock, dice: Dice, rates: Rates) {
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
    return this.#effect(act, () => this.#rates.crashOnEachNode);
  }

  async #effect<T>(act: () => Promise<T> | T, crashRate: () => number): Promise<T> {
    this.effects++;
    await this.#pause();
    await this.#mayEnd(crashRate());
    let outcome: { readonly value: T } | { readonly error: unknown };
    try {
      outcome = { value: await act() };
    } catch (error) {
      outcome = { error };
    }
    await this.#mayEnd(crashRate());
    await this.#pause();
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Notifies the listener late, or never. */
  tell(listener: () => void): void {
    if (this.#dice.chance(this.#rates.loseNews)) return;
    this.after(this.#dice.fraction() * this.#rates.latencyMs, listener);
  }

  #pause(): Promise<void> {
    const ms = this.#dice.fraction() * this.#rates.latencyMs;
    return new Promise((resolve) => this.after(ms, resolve));
  }

  async #mayEnd(rate: number): Promise<void> {
    if (!this.#dice.chance(rate / 2)) return;
    this.die();
    await this.#never;
  }
}
