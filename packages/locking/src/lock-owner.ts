/** Owners of locks and requests. */

/**
 * Callers always pass their owner explicitly.
 *
 * `id` is shown to users, a job's number or another name; `token` distinguishes several lives of the same id
 * (a claim, a run) and may be empty if there is only one; `lease` names the owner's worker, so that all its
 * locks can be released when it dies.
 */
export interface LockOwner {
  readonly id: number | string;
  readonly token?: string | undefined;
  readonly lease?: string | undefined;
}

/** By owner: a job may take thousands of locks, and each of them needs the key several times. */
const keys = new WeakMap<LockOwner, string>();

/** One text per owner; equal for equal `id` and `token`. */
export function ownerKey(owner: LockOwner): string {
  const known = keys.get(owner);
  if (known !== undefined) return known;
  const id = ownerText(owner);
  const key = owner.token ? `${id} ${owner.token}` : id;
  keys.set(owner, key);
  return key;
}

/** Notation in lists of owners: a job's number as text, a name in quotes. */
export function ownerText(owner: LockOwner): string {
  return typeof owner.id === "number" ? String(owner.id) : JSON.stringify(owner.id);
}
