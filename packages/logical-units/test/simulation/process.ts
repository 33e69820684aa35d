// A server's process: it can stand still for a while, and it can end between any two things it does.
import type { Clock } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit";

/** How often what goes wrong; all 0 once the run is to settle. */
export interface Rates {
  /** The process ends before, or after, an effect. */
  crash: number;
  /** A notification gets lost. */
  loseNews: number;
  /** Most that an effect takes, each way. */
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

  /** `then` happens in this process: not after its death, and not while it stands still. */
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

  /** Something outside of the process happens, and its answer comes back, if it lives so long. */
  async effect<T>(act: () => Promise<T> | T): Promise<T> {
    this.effects++;
    await this.#pause();
    await this.#mayEnd();
    let outcome: { readonly value: T } | { readonly error: unknown };
    try {
      outcome = { value: await act() };
    } catch (error) {
      outcome = { error };
    }
    await this.#mayEnd();
    await this.#pause();
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Told late, or never. */
  tell(listener: () => void): void {
    if (this.#dice.chance(this.#rates.loseNews)) return;
    this.after(this.#dice.fraction() * this.#rates.latencyMs, listener);
  }

  #pause(): Promise<void> {
    const ms = this.#dice.fraction() * this.#rates.latencyMs;
    return new Promise((resolve) => this.after(ms, resolve));
  }

  async #mayEnd(): Promise<void> {
    if (!this.#dice.chance(this.#rates.crash / 2)) return;
    this.die();
    await this.#never;
  }
}
