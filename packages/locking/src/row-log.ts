/** Log of changed rows since the last call of `take`. */
import type { LockName } from "./lock-name.js";
import { type LockOwner, ownerKey } from "./lock-owner.js";
import type { LockMode } from "./lock-request.js";
import type { HoldRow, LockRowChanges, WaitRow } from "./lock-rows.js";
import { rowOf, type Wait } from "./waits.js";

export class RowLog {
  readonly #isKept: boolean;
  #holds = new Map<string, { readonly owner: LockOwner; readonly lock: LockName }>();
  #waits = new Map<string, LockOwner>();

  /** @param isKept otherwise nothing is recorded, and `take` returns no rows */
  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  hold(owner: LockOwner, lock: LockName): void {
    if (this.#isKept) this.#holds.set(`${ownerKey(owner)}\n${lock}`, { owner, lock });
  }

  wait(owner: LockOwner): void {
    if (this.#isKept) this.#waits.set(ownerKey(owner), owner);
  }

  /** Each changed row once, in its present state; clears the log. */
  take(
    modeOf: (key: string, lock: LockName) => LockMode | undefined,
    waitOf: (key: string) => Wait | undefined,
  ): LockRowChanges {
    const changes = {
      holdsSet: [] as HoldRow[],
      holdsGone: [] as { owner: LockOwner; lock: LockName }[],
      waitsSet: [] as WaitRow[],
      waitsGone: [] as LockOwner[],
    };
    for (const { owner, lock } of this.#holds.values()) {
      const mode = modeOf(ownerKey(owner), lock);
      if (mode === undefined) changes.holdsGone.push({ owner, lock });
      else changes.holdsSet.push({ owner, lock, mode });
    }
    for (const [key, owner] of this.#waits) {
      const wait = waitOf(key);
      if (wait === undefined) changes.waitsGone.push(owner);
      else changes.waitsSet.push(rowOf(wait));
    }
    this.#holds = new Map();
    this.#waits = new Map();
    return changes;
  }
}
