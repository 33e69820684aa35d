/** How long an opcode tries to get its locks before it gives all back and tries again. */
import { priorityBest } from "@ganeti-ts/protocol";

/** Time limits of attempts in ms, one after the other; after the last an attempt has no limit. */
export type LockStrategy = readonly number[];

const firstMs = 5_000;
const longestMs = 75_000;
/** All attempts at all priorities from 0 up together take ten hours at most. */
const allMs = 36_000_000 / (0 - priorityBest);

/** Ganeti's own: 28 attempts of 5 s, 7.9 s, … 75 s, half an hour together. */
export const ganetiStrategy: LockStrategy = ganetiAttempts();

function ganetiAttempts(): number[] {
  const attempts = [firstMs];
  let sum = firstMs;
  for (let previous = firstMs; sum < allMs; ) {
    const seconds = (previous * 1.05) / 1000;
    previous = Math.min(longestMs, Math.max(firstMs, seconds ** 1.25 * 1000));
    attempts.push(previous);
    sum += previous;
  }
  return attempts;
}

/** 1 s, 2 s, 4 s…: `triesMax` attempts. */
export const doublingStrategy = (triesMax: number): LockStrategy =>
  Array.from({ length: triesMax }, (_, tries) => 1000 * 2 ** tries);

/** Up to 5 % more or less, so that two that collided do not collide for ever. `chance` is in 0…1. */
export const varied = (timeoutMs: number, chance: number): number =>
  timeoutMs * (0.95 + 0.1 * chance);

/**
 * The limit of the next attempt after `failed` ones at this priority, and whether the priority
 * improves first. At the best priority the list is followed by an attempt without a limit.
 */
export function nextAttempt(
  strategy: LockStrategy,
  failed: number,
  priority: number,
): { readonly timeoutMs: number | undefined; readonly better: boolean } {
  const limit = strategy[failed];
  if (limit !== undefined) return { timeoutMs: limit, better: false };
  if (priority > priorityBest) return { timeoutMs: strategy[0], better: true };
  return { timeoutMs: undefined, better: false };
}
