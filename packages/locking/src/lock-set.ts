/** Set of named locks that are acquired together, and can be added and removed. */
import {
  type CancelSignal,
  compareCodePoints,
  systemClock,
  type Timers,
} from "@ganeti-ts/protocol";
import { LockError } from "./lock-error.js";
import type { LockMode } from "./lock-request.js";
import { SharedLock, type SharedLockOptions } from "./shared-lock.js";

/** Instead of names: every lock of the set; no lock can be added while it is held. */
export const everyLock = "every lock";

/** The timeout covers all locks of a call. */
export type LockSetOptions = SharedLockOptions;

/**
 * `acquire` takes one lock after the other in the order of their names and keeps those it has; if it cannot
 * get all of them it releases everything, newest first.
 */
export class LockSet<Owner = unknown> {
  readonly name: string;
  readonly #clock: Timers;
  readonly #locks = new Map<string, SharedLock<Owner>>();
  readonly #setLock: SharedLock<Owner>;

  constructor(
    name: string,
    members: Iterable<string>,
    { clock = systemClock }: { readonly clock?: Timers } = {},
  ) {
    this.name = name;
    this.#clock = clock;
    this.#setLock = this.#newLock("[lockset]");
    for (const member of members) this.#locks.set(member, this.#newLock(member));
  }

  /** In order. */
  names(): string[] {
    return [...this.#locks.keys()].sort(compareCodePoints);
  }

  /** Names of the locks that the owner holds, in order. */
  ownedBy(owner: Owner): string[] {
    return this.names().filter((name) => this.#locks.get(name)?.modeOf(owner) !== undefined);
  }

  lock(name: string): SharedLock<Owner> | undefined {
    return this.#locks.get(name);
  }

  /**
   * The names of the locks, all of them now held; `null` after the timeout, with none held. @throws LockError
   * if the owner holds part of the set, or a named lock does not exist or is deleted
   */
  async acquire(
    owner: Owner,
    names: readonly string[] | typeof everyLock,
    options: LockSetOptions = {},
  ): Promise<ReadonlySet<string> | null> {
    if (this.#setLock.modeOf(owner) !== undefined || this.ownedBy(owner).length > 0) {
      const text = `Cannot acquire locks in the same set twice (lockset ${this.name})`;
      throw new LockError("wrong_state", text);
    }
    const left = this.#budget(options);
    const taken: SharedLock<Owner>[] = [];
    const giveBack = () => {
      for (const lock of taken.reverse()) if (lock.modeOf(owner) !== undefined) lock.release(owner);
    };
    try {
      if (names === everyLock) {
        if (!(await this.#setLock.acquire(owner, left()))) return null;
        taken.push(this.#setLock);
      }
      const wanted =
        names === everyLock ? this.names() : [...new Set(names)].sort(compareCodePoints);
      this.#refuseMissing(wanted);
      const held = new Set<string>();
      for (const name of wanted) {
        const got = await this.#acquireMember(owner, name, left(), names === everyLock);
        if (got === "timeout") {
          giveBack();
          return null;
        }
        if (got === "gone") continue;
        taken.push(got);
        held.add(name);
      }
      return held;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Releases all locks of the owner, or the named ones. @throws LockError if a name is not held */
  release(owner: Owner, names?: readonly string[]): void {
    const owned = this.ownedBy(owner);
    const chosen = names === undefined ? owned : this.#ownedOnly(owned, names, "release");
    // After releasing one lock the owner no longer holds every lock.
    if (this.#setLock.modeOf(owner) !== undefined) this.#setLock.release(owner);
    for (const name of chosen.toReversed()) this.#locks.get(name)?.release(owner);
  }

  /** @throws LockError if a name is not held */
  downgrade(owner: Owner, names?: readonly string[]): void {
    const owned = this.ownedBy(owner);
    const chosen = names === undefined ? owned : this.#ownedOnly(owned, names, "downgrade");
    for (const name of chosen) this.#locks.get(name)?.downgrade(owner);
    const allShared = owned.every((name) => this.#locks.get(name)?.modeOf(owner) === "shared");
    if (allShared && this.#setLock.modeOf(owner) === "exclusive") this.#setLock.downgrade(owner);
  }

  /**
   * Adds new names, once no other owner holds every lock; with `held` the owner holds them at once. `false`
   * after the timeout. @throws LockError if a name already exists
   */
  async add(
    owner: Owner,
    names: readonly string[],
    { held, ...options }: Omit<LockSetOptions, "mode"> & { readonly held?: LockMode } = {},
  ): Promise<boolean> {
    const hadSetLock = this.#setLock.modeOf(owner) !== undefined;
    if (!hadSetLock && !(await this.#setLock.acquire(owner, options))) return false;
    try {
      const known = names.filter((name) => this.#locks.has(name));
      if (known.length > 0) {
        const text = `duplicate add(${known.join(", ")}) on lockset ${this.name}`;
        throw new LockError("wrong_input", text);
      }
      for (const name of names) {
        const lock = this.#newLock(name);
        this.#locks.set(name, lock);
        // The lock is not visible to others yet: granted in this turn.
        if (held !== undefined) void lock.acquire(owner, { mode: held });
      }
      return true;
    } finally {
      if (!hadSetLock) this.#setLock.release(owner);
    }
  }

  /**
   * Deletes the locks, each as soon as it can be held exclusively; names that do not exist are skipped.
   * Returns the names removed. @throws LockError if the owner holds some of them but not all
   */
  async remove(
    owner: Owner,
    names: readonly string[],
    options: Omit<LockSetOptions, "mode"> = {},
  ): Promise<string[]> {
    const owned = this.ownedBy(owner);
    if (owned.length > 0 && !names.every((name) => owned.includes(name))) {
      const text = `remove() on acquired lockset ${this.name} while not owning all elements`;
      throw new LockError("wrong_state", text);
    }
    const left = this.#budget(options);
    const removed: string[] = [];
    for (const name of [...new Set(names)].sort(compareCodePoints)) {
      const lock = this.#locks.get(name);
      if (lock === undefined) continue;
      try {
        if (!(await lock.delete(owner, left()))) continue;
      } catch (error) {
        if (error instanceof LockError && error.code === "deleted") continue;
        throw error;
      }
      this.#locks.delete(name);
      removed.push(name);
    }
    return removed;
  }

  async #acquireMember(
    owner: Owner,
    name: string,
    options: SharedLockOptions,
    mayBeGone: boolean,
  ): Promise<SharedLock<Owner> | "timeout" | "gone"> {
    const lock = this.#locks.get(name);
    try {
      if (lock === undefined) throw this.#missing([name]);
      return (await lock.acquire(owner, options)) ? lock : "timeout";
    } catch (error) {
      if (!(error instanceof LockError) || error.code !== "deleted") throw error;
      if (mayBeGone) return "gone";
      throw this.#missing([name]);
    }
  }

  #refuseMissing(names: readonly string[]): void {
    const missing = names.filter((name) => !this.#locks.has(name));
    if (missing.length > 0) throw this.#missing(missing);
  }

  #missing(names: readonly string[]): LockError {
    const text = `Non-existing lock(s) ${names.join(", ")} in set ${this.name}`;
    return new LockError("deleted", text);
  }

  #ownedOnly(owned: readonly string[], names: readonly string[], what: string): string[] {
    const others = names.filter((name) => !owned.includes(name));
    if (others.length === 0) return [...new Set(names)].sort(compareCodePoints);
    const text = `${what}() on unheld lock(s) ${others.join(", ")} of set ${this.name}`;
    throw new LockError("wrong_state", text);
  }

  /** The options with the remaining time. */
  #budget<
    Options extends {
      readonly timeoutMs?: number | undefined;
      readonly signal?: CancelSignal | undefined;
    },
  >(options: Options): () => Options {
    const { timeoutMs } = options;
    if (timeoutMs === undefined) return () => options;
    const deadline = this.#clock.now() + timeoutMs;
    return () => ({ ...options, timeoutMs: Math.max(0, deadline - this.#clock.now()) });
  }

  #newLock(member: string): SharedLock<Owner> {
    return new SharedLock(`${this.name}/${member}`, { clock: this.#clock });
  }
}
