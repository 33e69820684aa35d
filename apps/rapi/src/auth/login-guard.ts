/** Delays of login attempts after failures, for each address and each user. */
import type { Timers } from "@ganeti-ts/protocol";

/** Number of failures without a delay, for mistyped passwords. */
const freeFailures = 3;

/** Delay (ms) after the first failure beyond that number; each further one doubles it. */
const firstDelayMs = 250;

/** Maximum delay (ms) of an address, and of a user's attempts from addresses without failures. */
const addressDelayMaxMs = 8000;
export const userDelayMaxMs = 2000;

/** Maximum wait (ms) of an attempt; those that would wait longer are refused. */
const waitMaxMs = 10_000;

/** Time (ms) after which failures expire, counted from the last one. */
export const forgottenAfterMs = 15 * 60_000;

/** Maximum number of entries of each kind; the least recently used ones are dropped. */
const entriesMax = 10_000;

interface Failures {
  readonly count: number;
  readonly lastMs: number;
  /** Earliest start of the next attempt: attempts from one address run one after the other, even if they arrive together. */
  readonly nextMs: number;
}

const none: Failures = {
  count: 0,
  lastMs: Number.NEGATIVE_INFINITY,
  nextMs: Number.NEGATIVE_INFINITY,
};

/**
 * Delay of an attempt, whether or not its password is right:
 *
 * | failures | delay |
 * |---|---|
 * | up to 3 of an address or user within a quarter of an hour | none |
 * | more from this address | 250 ms, doubled with each, up to 8 s; its attempts wait for each other, at most 10 s |
 * | more of this user from other addresses | the same up to 2 s; attempts do not wait for each other |
 * | a user from an address with an earlier success, and fewer than 3 failures of this user there | none |
 *
 * A user cannot be locked out by others: from an address without failures an attempt waits 2 s at most.
 */
export class LoginGuard {
  readonly #clock: Timers;
  readonly #addresses = new Map<string, Failures>();
  readonly #users = new Map<string, Failures>();
  /** Failures of users at addresses from which they have logged in. */
  readonly #familiar = new Map<string, Failures>();

  constructor(clock: Timers) {
    this.#clock = clock;
  }

  /** Milliseconds until the attempt may be checked; undefined if it is refused, because too many others wait. */
  delayMs(user: string, address: string): number | undefined {
    const now = this.#clock.now();
    const familiar = this.#familiar.get(pairOf(user, address));
    if (familiar !== undefined && recent(familiar, now).count < freeFailures) return 0;
    const known = recent(this.#addresses.get(address), now);
    const start = Math.max(now, known.nextMs);
    if (start - now > waitMaxMs) return undefined;
    if (known.count >= freeFailures) {
      const nextMs = start + delayOf(known.count, addressDelayMaxMs);
      put(this.#addresses, address, { ...known, nextMs });
    }
    const ofUser = delayOf(recent(this.#users.get(user), now).count, userDelayMaxMs);
    return Math.max(start - now, ofUser);
  }

  /** Resolves after that delay; undefined without one. @throws TooManyAttempts */
  admitted(user: string, address: string): Promise<void> | undefined {
    const delayMs = this.delayMs(user, address);
    if (delayMs === 0) return undefined;
    if (delayMs === undefined) throw new TooManyAttempts(address);
    return new Promise((resolve) => this.#clock.after(delayMs, resolve));
  }

  /** Returns the failures of this address within a quarter of an hour. */
  failed(user: string, address: string): number {
    const now = this.#clock.now();
    const pair = pairOf(user, address);
    const familiar = this.#familiar.get(pair);
    if (familiar !== undefined) put(this.#familiar, pair, oneMore(familiar, now));
    put(this.#users, user, oneMore(this.#users.get(user), now));
    const { count, lastMs, nextMs } = oneMore(this.#addresses.get(address), now);
    const soonestMs = now + delayOf(count, addressDelayMaxMs);
    put(this.#addresses, address, { count, lastMs, nextMs: Math.max(nextMs, soonestMs) });
    return count;
  }

  /** Keeps the failures of the address: otherwise a success as another user would reset its delay. */
  succeeded(user: string, address: string): void {
    const pair = pairOf(user, address);
    put(this.#familiar, pair, recent(this.#familiar.get(pair), this.#clock.now()));
  }
}

/** Error: too many attempts from an address are waiting. */
export class TooManyAttempts extends Error {
  override readonly name = "TooManyAttempts";
  readonly retryAfterSeconds = addressDelayMaxMs / 1000;

  constructor(address: string) {
    super(`Too many failed logins from ${address}: try again in ${addressDelayMaxMs / 1000} s`);
  }
}

const pairOf = (user: string, address: string): string => `${address} ${user}`;

const recent = (failures: Failures = none, now: number): Failures =>
  now - failures.lastMs < forgottenAfterMs ? failures : none;

const oneMore = (failures: Failures | undefined, now: number): Failures => {
  const { count, nextMs } = recent(failures, now);
  return { count: count + 1, lastMs: now, nextMs };
};

const delayOf = (count: number, maxMs: number): number =>
  count < freeFailures
    ? 0
    : Math.min(maxMs, firstDelayMs * 2 ** Math.min(count - freeFailures, 30));

/** Adds an entry, and drops the oldest one if there are too many. */
function put(entries: Map<string, Failures>, key: string, value: Failures): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= entriesMax) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}
