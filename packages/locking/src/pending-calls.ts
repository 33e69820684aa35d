/** Waiting requests as promises: each ends by its grant, its timeout, its signal, or a withdrawal. */
import type { CancelSignal, Timers } from "@ganeti-ts/protocol";
import { LockError } from "./lock-error.js";
import { type LockOwner, ownerKey } from "./lock-owner.js";
import type { LockRequest } from "./lock-request.js";
import type { LockStore } from "./lock-store.js";

/**
 * Timeout, priority and cancellation of a request.
 *
 * | `timeoutMs` | waits |
 * | --- | --- |
 * | below 1 | not at all |
 * | a number | at most this time, for all locks at once |
 * | absent | without limit, for one lock after the other in lock order (a definite request) |
 */
export interface AcquireOptions {
  /** Lower numbers are served first; default 0. */
  readonly priority?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Withdraws the request; the promise rejects with the signal's reason. */
  readonly signal?: CancelSignal | undefined;
}

/** An unfinished call of `acquire`. */
interface Call {
  readonly owner: LockOwner;
  readonly requests: readonly LockRequest[];
  /** The store has answered: the request waits there, and must be withdrawn if the call is given up. */
  waiting: boolean;
  /** Outcome of a call given up before the store had answered; applied as soon as it waits. */
  givenUp: Outcome | undefined;
  /** Ends the call; later calls have no effect. */
  end(outcome: Outcome): void;
}

type Outcome = { readonly granted: boolean } | { readonly error: unknown };

export class PendingCalls {
  readonly #store: LockStore;
  readonly #clock: Timers;
  /** By owner; several only if an owner repeats its request. */
  readonly #calls = new Map<string, Set<Call>>();
  readonly #unsubscribe: () => void;
  #stopPolling: (() => void) | undefined;

  constructor(store: LockStore, clock: Timers) {
    this.#store = store;
    this.#clock = clock;
    this.#unsubscribe = store.onGranted((owner) => {
      for (const call of this.#callsOf(owner)) call.end({ granted: true });
    });
  }

  async acquire(
    owner: LockOwner,
    requests: readonly LockRequest[],
    { priority, timeoutMs, signal }: AcquireOptions,
  ): Promise<boolean> {
    if (signal?.aborted) throw signal.reason;
    if (timeoutMs !== undefined && timeoutMs < 1) {
      return this.#store.change((table) => table.tryRequest(owner, requests, { priority }));
    }
    return new Promise((resolve, reject) => {
      // Registered before the request: the grant may be reported before the answer.
      const call = this.#open(owner, requests, timeoutMs, signal, (outcome) =>
        "error" in outcome ? reject(outcome.error) : resolve(outcome.granted),
      );
      attempt(
        () =>
          this.#store.change((table) =>
            table.request(owner, requests, { priority, definite: timeoutMs === undefined }),
          ),
        (granted) => {
          call.waiting = !granted;
          if (granted) call.end({ granted });
          else if (call.givenUp !== undefined) this.#giveUp(call, call.givenUp);
        },
        (error) => call.end({ error }),
      );
    });
  }

  /** The owner's request has been withdrawn by another caller. */
  withdrawn(owner: LockOwner): void {
    for (const call of this.#callsOf(owner)) this.#giveUp(call, { granted: false });
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    const error = new LockError("wrong_state", "the lock manager has been closed");
    for (const { owner } of this.#waitingCalls()) {
      await this.#store.change((table) => table.withdraw(owner));
    }
    for (const call of [...this.#calls.values()].flatMap((ofOwner) => [...ofOwner])) {
      this.#giveUp(call, { error });
    }
  }

  #open(
    owner: LockOwner,
    requests: readonly LockRequest[],
    timeoutMs: number | undefined,
    signal: CancelSignal | undefined,
    ended: (outcome: Outcome) => void,
  ): Call {
    const key = ownerKey(owner);
    const onAbort = () => this.#giveUp(call, { error: signal?.reason });
    const stopTimer =
      timeoutMs === undefined
        ? undefined
        : this.#clock.after(timeoutMs, () => this.#giveUp(call, { granted: false }));
    signal?.addEventListener("abort", onAbort);
    const call: Call = {
      owner,
      requests,
      waiting: false,
      givenUp: undefined,
      end: (outcome) => {
        const ofOwner = this.#calls.get(key);
        if (ofOwner === undefined || !ofOwner.delete(call)) return;
        if (ofOwner.size === 0) this.#calls.delete(key);
        if (this.#calls.size === 0) this.#stopPolling?.();
        stopTimer?.();
        signal?.removeEventListener("abort", onAbort);
        ended(outcome);
      },
    };
    const ofOwner = this.#calls.get(key);
    if (ofOwner === undefined) this.#calls.set(key, new Set([call]));
    else ofOwner.add(call);
    this.#poll();
    return call;
  }

  /** After a timeout or abort, unless the request was granted just before. */
  #giveUp(call: Call, outcome: Outcome): void {
    if (!call.waiting) {
      call.givenUp = outcome;
      return;
    }
    const { owner, requests } = call;
    // A repeated request continues to wait with the other call.
    if (this.#callsOf(owner).length > 1) {
      call.end(outcome);
      return;
    }
    attempt(
      () =>
        this.#store.change((table) =>
          table.withdraw(owner) ? false : table.isHeld(owner, requests),
        ),
      (granted) => call.end(granted ? { granted } : outcome),
      (error) => call.end({ error }),
    );
  }

  #callsOf(owner: LockOwner): Call[] {
    return [...(this.#calls.get(ownerKey(owner)) ?? [])];
  }

  #waitingCalls(): Call[] {
    return [...this.#calls.values()].flatMap((ofOwner) =>
      [...ofOwner].filter((call) => call.waiting),
    );
  }

  /** Polls waiting requests if notifications of grants may be late or lost. */
  #poll(): void {
    const { pollMs } = this.#store;
    if (pollMs === undefined || this.#stopPolling !== undefined) return;
    const stop = this.#clock.after(pollMs, () => {
      this.#stopPolling = undefined;
      const calls = this.#waitingCalls();
      attempt(
        () =>
          this.#store.change((table) =>
            calls.map(({ owner, requests }) =>
              table.isWaiting(owner) ? undefined : table.isHeld(owner, requests),
            ),
          ),
        (found) => {
          found.forEach((granted, at) => {
            if (granted !== undefined) calls[at]?.end({ granted });
          });
          if (this.#calls.size > 0) this.#poll();
        },
        // The store is temporarily unreachable.
        () => this.#poll(),
      );
    });
    this.#stopPolling = () => {
      this.#stopPolling = undefined;
      stop();
    };
  }
}

/** Like `await`, but synchronous if there is nothing to wait for. */
function attempt<Answer>(
  work: () => Answer | Promise<Answer>,
  done: (answer: Answer) => void,
  failed: (error: unknown) => void,
): void {
  let answer: Answer | Promise<Answer>;
  try {
    answer = work();
  } catch (error) {
    failed(error);
    return;
  }
  if (answer instanceof Promise) answer.then(done, failed);
  else done(answer);
}
