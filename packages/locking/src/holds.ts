/** Held locks, indexed by owner, by lock, and by group lock. */
import { invariant } from "@ganeti-ts/protocol";
import { groupLockOf, type LockName } from "./lock-name.js";
import { type LockOwner, ownerKey } from "./lock-owner.js";
import type { LockMode } from "./lock-request.js";
import type { HoldRow } from "./lock-rows.js";

interface OwnerHolds {
  readonly owner: LockOwner;
  readonly modes: Map<LockName, LockMode>;
  /** The owner as the only holder of a lock. */
  readonly alone: Readonly<Record<LockMode, Holder>>;
}

/** The holder of a lock that has one; most locks have. The same object for all locks of an owner: it may hold thousands. */
interface Holder {
  readonly key: string;
  readonly mode: LockMode;
}

/** Modes by the keys of the holders. */
type Holders = Map<string, LockMode>;

const nothing: ReadonlyMap<LockName, LockMode> = new Map();
const nobody: ReadonlyMap<string, LockMode> = new Map();

/** Does not check rules: the caller must have found that no other owner conflicts. */
export class Holds {
  readonly #byOwner = new Map<string, OwnerHolds>();
  readonly #byLock = new Map<LockName, Holder | Holders>();
  /** Held locks under each group lock. */
  readonly #byGroup = new Map<LockName, Set<LockName>>();

  modesOf(key: string): ReadonlyMap<LockName, LockMode> {
    return this.#byOwner.get(key)?.modes ?? nothing;
  }

  set(owner: LockOwner, lock: LockName, mode: LockMode): void {
    const key = ownerKey(owner);
    const conflict = this.blockingLock(key, lock, mode);
    invariant(
      conflict === undefined,
      () =>
        `lock ${lock}: ${key} would get it ${mode}, beside ${conflict} of ${[...this.blockers(key, lock, mode)].join()}`,
    );
    let ofOwner = this.#byOwner.get(key);
    if (ofOwner === undefined) {
      const alone = {
        shared: { key, mode: "shared" },
        exclusive: { key, mode: "exclusive" },
      } as const;
      ofOwner = { owner, modes: new Map(), alone };
      this.#byOwner.set(key, ofOwner);
    }
    ofOwner.modes.set(lock, mode);
    const holders = this.#byLock.get(lock);
    if (holders instanceof Map) holders.set(key, mode);
    else if (holders !== undefined && holders.key !== key) {
      const both = new Map([[holders.key, holders.mode]]);
      this.#byLock.set(lock, both.set(key, mode));
    } else {
      this.#byLock.set(lock, ofOwner.alone[mode]);
      if (holders !== undefined) return;
      const group = groupLockOf(lock);
      if (group === undefined) return;
      const members = this.#byGroup.get(group);
      if (members === undefined) this.#byGroup.set(group, new Set([lock]));
      else members.add(lock);
    }
  }

  delete(key: string, lock: LockName): void {
    const ofOwner = this.#byOwner.get(key);
    if (ofOwner === undefined || !ofOwner.modes.delete(lock)) return;
    if (ofOwner.modes.size === 0) this.#byOwner.delete(key);
    const holders = this.#byLock.get(lock);
    if (holders instanceof Map) {
      holders.delete(key);
      if (holders.size > 0) return;
    }
    this.#byLock.delete(lock);
    const group = groupLockOf(lock);
    if (group === undefined) return;
    const members = this.#byGroup.get(group);
    members?.delete(lock);
    if (members?.size === 0) this.#byGroup.delete(group);
  }

  /**
   * The owners other than `key` that prevent it from holding `lock` in that mode: for exclusive every holder
   * of the lock, of its group lock and of its members, for shared the exclusive ones among them. An owner may
   * be repeated. Cost: their number, for a group lock also that of its members.
   */
  *blockers(key: string, lock: LockName, mode: LockMode): Generator<string> {
    yield* this.#others(key, lock, mode);
    const group = groupLockOf(lock);
    if (group !== undefined) yield* this.#others(key, group, mode);
    for (const member of this.#byGroup.get(lock) ?? []) yield* this.#others(key, member, mode);
  }

  /**
   * A lock held by another owner that prevents `key` from holding `lock` in that mode: the lock itself, its
   * group lock or a member. Cost: O(1), for a group lock the number of its members.
   */
  blockingLock(key: string, lock: LockName, mode: LockMode): LockName | undefined {
    if (this.#blocks(lock, key, mode)) return lock;
    const group = groupLockOf(lock);
    if (group !== undefined && this.#blocks(group, key, mode)) return group;
    for (const member of this.#byGroup.get(lock) ?? []) {
      if (this.#blocks(member, key, mode)) return member;
    }
    return undefined;
  }

  #blocks(lock: LockName, key: string, wanted: LockMode): boolean {
    const holders = this.#byLock.get(lock);
    if (holders === undefined) return false;
    if (!(holders instanceof Map)) {
      return holders.key !== key && (wanted === "exclusive" || holders.mode === "exclusive");
    }
    for (const [holder, mode] of holders) {
      // An exclusive holder is the only holder, so any one holder's mode is the mode of all.
      if (holder !== key) return wanted === "exclusive" || mode === "exclusive";
    }
    return false;
  }

  /** All holders of the lock itself. */
  holdersOf(lock: LockName): ReadonlyMap<string, LockMode> {
    const holders = this.#byLock.get(lock) ?? nobody;
    return "key" in holders ? new Map([[holders.key, holders.mode]]) : holders;
  }

  *#others(key: string, lock: LockName, wanted: LockMode): Generator<string> {
    for (const [holder, mode] of this.holdersOf(lock)) {
      if (holder !== key && (wanted === "exclusive" || mode === "exclusive")) yield holder;
    }
  }

  ownerOf(key: string): LockOwner | undefined {
    return this.#byOwner.get(key)?.owner;
  }

  owners(): LockOwner[] {
    return [...this.#byOwner.values()].map(({ owner }) => owner);
  }

  rows(): HoldRow[] {
    return [...this.#byOwner.values()].flatMap(({ owner, modes }) =>
      [...modes].map(([lock, mode]): HoldRow => ({ owner, lock, mode })),
    );
  }
}
