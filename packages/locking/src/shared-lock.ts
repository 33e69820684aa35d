/** One lock as promises: shared by many or held by one, fair, with timeouts. */
import { type CancelSignal, systemClock, type Timers } from "@ganeti-ts/protocol";
import { LockError } from "./lock-error.js";
import type { LockMode } from "./lock-request.js";
import { SharedLockState } from "./shared-lock-state.js";

/** Options of `SharedLock.acquire`. */
export interface SharedLockOptions {
  readonly mode?: LockMode | undefined;
  /** Lower numbers are served first; default 0. */
  readonly priority?: number | undefined;
  /** Below 1: do not wait. Absent: no limit. */
  readonly timeoutMs?: number | undefined;
  /** The promise rejects with its reason. */
  readonly signal?: CancelSignal | undefined;
}

interface Waiter {
  granted(): void;
  deleted(): void;
}

/**
 * Owners are compared by identity: any value will do. All methods but `acquire` and `delete` are synchronous;
 * owners granted by them hold the lock before any of their promises resolves.
 */
export class SharedLock<Owner = unknown> {
  readonly name: string;
  readonly #clock: Timers;
  readonly #state = new SharedLockState<Owner>();
  readonly #waiters = new Map<Owner, Waiter>();
  #deleted = false;

  constructor(name: string, { clock = systemClock }: { readonly clock?: Timers } = {}) {
    this.name = name;
    this.#clock = clock;
  }

  /**
   * `true` once the lock is held, `false` after the timeout. @throws LockError "Deleted lock …", also while
   * waiting; "double acquire() …"
   */
  async acquire(
    owner: Owner,
    { mode = "exclusive", priority = 0, timeoutMs, signal }: SharedLockOptions = {},
  ): Promise<boolean> {
    if (signal?.aborted) throw signal.reason;
    if (this.#deleted) throw this.#deletedError();
    if (this.#state.modeOf(owner) !== undefined || this.#waiters.has(owner)) {
      const text = `double acquire() on a non-recursive lock ${this.name}`;
      throw new LockError("wrong_state", text);
    }
    const wait = timeoutMs === undefined || timeoutMs >= 1;
    if (this.#state.request(owner, mode, priority, wait)) return true;
    if (!wait) return false;
    return new Promise((resolve, reject) => {
      const leave = () => {
        end();
        this.#state.leave(owner);
        this.#grant();
      };
      const onAbort = () => {
        leave();
        reject(signal?.reason);
      };
      const stopTimer =
        timeoutMs === undefined
          ? undefined
          : this.#clock.after(timeoutMs, () => {
              leave();
              resolve(false);
            });
      const end = () => {
        stopTimer?.();
        signal?.removeEventListener("abort", onAbort);
        this.#waiters.delete(owner);
      };
      signal?.addEventListener("abort", onAbort);
      this.#waiters.set(owner, {
        granted: () => {
          end();
          resolve(true);
        },
        deleted: () => {
          end();
          reject(this.#deletedError());
        },
      });
      this.#grant();
    });
  }

  /** Runs `work` under the lock and releases it whatever happens; `undefined` after the timeout. */
  async withLock<Result>(
    owner: Owner,
    work: () => Result | Promise<Result>,
    options?: SharedLockOptions,
  ): Promise<{ readonly result: Result } | undefined> {
    if (!(await this.acquire(owner, options))) return undefined;
    try {
      return { result: await work() };
    } finally {
      if (this.modeOf(owner) !== undefined) this.release(owner);
    }
  }

  /** @throws LockError "Cannot release non-owned lock" */
  release(owner: Owner): void {
    if (this.modeOf(owner) === undefined) {
      throw new LockError("wrong_state", "Cannot release non-owned lock");
    }
    this.#state.release(owner);
    this.#grant();
  }

  /** Exclusive becomes shared; no effect on a shared lock. @throws LockError */
  downgrade(owner: Owner): void {
    if (this.modeOf(owner) === undefined) {
      throw new LockError("wrong_state", "Cannot downgrade non-owned lock");
    }
    this.#state.downgrade(owner);
    this.#grant();
  }

  /**
   * Acquires the lock exclusively, unless the owner already has it so, and deletes it: waiting and later
   * requests are refused. `false` after the timeout. @throws LockError "Cannot delete() a lock while sharing
   * it", "Deleted lock …"
   */
  async delete(owner: Owner, options: Omit<SharedLockOptions, "mode"> = {}): Promise<boolean> {
    if (this.#deleted) throw this.#deletedError();
    const held = this.modeOf(owner);
    if (held === "shared") {
      throw new LockError("wrong_state", "Cannot delete() a lock while sharing it");
    }
    if (held === undefined && !(await this.acquire(owner, options))) return false;
    this.#deleted = true;
    for (const waiting of this.#state.clear()) this.#waiters.get(waiting)?.deleted();
    return true;
  }

  modeOf(owner: Owner): LockMode | undefined {
    return this.#state.modeOf(owner);
  }

  holders(): readonly Owner[] {
    return this.#state.holders();
  }

  /** Waiting requests: one exclusive owner, or all that will share together. In the order of granting. */
  pending(): readonly { readonly mode: LockMode; readonly members: readonly Owner[] }[] {
    return this.#state.pending();
  }

  get isDeleted(): boolean {
    return this.#deleted;
  }

  #grant(): void {
    for (const owner of this.#state.grant()) this.#waiters.get(owner)?.granted();
  }

  #deletedError(): LockError {
    return new LockError("deleted", `Deleted lock ${this.name}`);
  }
}
