/** Who holds and asks for locks. */

/**
 * An owner is never inferred: whoever asks says who is asking.
 *
 * `id` is what people see, a job's number or the name of something else; `token` tells two lives of
 * the same id apart (a claim, a run) and may stay empty where there is only one; `lease` names the
 * worker that answers for the owner, so that all its locks can be freed when it dies.
 */
export interface LockOwner {
  readonly id: number | string;
  readonly token?: string | undefined;
  readonly lease?: string | undefined;
}

/** One text per owner; equal for equal `id` and `token`. */
export function ownerKey(owner: LockOwner): string {
  const id = typeof owner.id === "number" ? String(owner.id) : JSON.stringify(owner.id);
  return owner.token ? `${id} ${owner.token}` : id;
}

/** As lists of owners show it: a job's number as text, a name in quotes. */
export function ownerText(owner: LockOwner): string {
  return typeof owner.id === "number" ? String(owner.id) : JSON.stringify(owner.id);
}
