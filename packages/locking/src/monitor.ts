/** Lock monitor: a list of all locks that are held or waited for. */
import { compareNaturally } from "@ganeti-ts/protocol";
import type { LockName } from "./lock-name.js";
import { ownerText } from "./lock-owner.js";
import type { LockMode } from "./lock-request.js";
import type { LockRows } from "./lock-rows.js";
import { wishesOf } from "./waits.js";

/** One line of the monitor; owners are texts, a job's number or a quoted name. */
export interface LockRow {
  readonly name: LockName;
  /** `null`: not held. */
  readonly mode: LockMode | null;
  readonly owner: readonly string[];
  /** In the order in which they will be granted. */
  readonly pending: readonly (readonly [mode: LockMode, owners: readonly string[]])[];
}

interface Draft {
  mode: LockMode | null;
  readonly owner: string[];
  readonly pending: {
    readonly place: number;
    readonly mode: LockMode;
    readonly owners: string[];
  }[];
}

/** Sorted naturally by name. A definite request is shown at the lock it has reached. */
export function lockRows({ holds, waits }: LockRows): LockRow[] {
  const drafts = new Map<LockName, Draft>();
  const draftOf = (lock: LockName): Draft => {
    const draft = drafts.get(lock) ?? { mode: null, owner: [], pending: [] };
    drafts.set(lock, draft);
    return draft;
  };
  const held = new Set<string>();
  for (const { owner, lock, mode } of holds) {
    const draft = draftOf(lock);
    draft.mode = mode;
    draft.owner.push(ownerText(owner));
    held.add(`${ownerText(owner)} ${lock} ${mode}`);
  }
  for (const { owner, requests, definite, place } of waits) {
    const name = ownerText(owner);
    for (const { lock, mode } of wishesOf(definite ? requests.slice(0, 1) : requests)) {
      if (held.has(`${name} ${lock} ${mode}`)) continue;
      const { pending } = draftOf(lock);
      const last = pending.at(-1);
      // Members of one entry are adjacent.
      if (last?.place === place) last.owners.push(name);
      else pending.push({ place, mode, owners: [name] });
    }
  }
  return [...drafts]
    .map(([name, { mode, owner, pending }]): LockRow => {
      return { name, mode, owner, pending: pending.map((entry) => [entry.mode, entry.owners]) };
    })
    .sort((a, b) => compareNaturally(a.name, b.name));
}
