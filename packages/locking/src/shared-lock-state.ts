/** State of one lock without time: its holders, and the queue of waiting requests. */
import type { LockMode } from "./lock-request.js";

/** One exclusive request, or shared ones that are granted together. */
interface Entry<Owner> {
  readonly mode: LockMode;
  readonly priority: number;
  readonly members: Owner[];
}

/**
 * Entries wait by priority, then arrival. After every change the first entry is granted as long as it is
 * compatible with the holders; a shared entry is granted with all its members and accepts no more afterwards.
 * A shared request joins the shared entry of its priority, and thus passes exclusive ones that arrived after
 * this entry. Every method returns the owners it granted, in order.
 */
export class SharedLockState<Owner> {
  readonly #sharing = new Set<Owner>();
  #exclusive: Owner | undefined;
  #queue: Entry<Owner>[] = [];

  modeOf(owner: Owner): LockMode | undefined {
    if (this.#exclusive === owner) return "exclusive";
    return this.#sharing.has(owner) ? "shared" : undefined;
  }

  /** Whether it is granted at once. Otherwise it waits, unless `wait` is false. */
  request(owner: Owner, mode: LockMode, priority: number, wait: boolean): boolean {
    if (this.#queue.length === 0 && this.#fits(mode)) {
      this.#hold(owner, mode);
      return true;
    }
    if (!wait) return false;
    const open = mode === "shared" ? this.#sharedEntry(priority) : undefined;
    if (open !== undefined) open.members.push(owner);
    else {
      const behind = this.#queue.findIndex((entry) => entry.priority > priority);
      const entry = { mode, priority, members: [owner] };
      this.#queue.splice(behind < 0 ? this.#queue.length : behind, 0, entry);
    }
    return false;
  }

  /** Grants the first entries as long as they are compatible; called after every change. */
  grant(): Owner[] {
    const granted: Owner[] = [];
    for (;;) {
      const [first] = this.#queue;
      if (first === undefined || !this.#fits(first.mode)) return granted;
      this.#queue.shift();
      for (const member of first.members) this.#hold(member, first.mode);
      granted.push(...first.members);
    }
  }

  /** Withdraws a waiting request. */
  leave(owner: Owner): void {
    for (const { members } of this.#queue) {
      const at = members.indexOf(owner);
      if (at >= 0) members.splice(at, 1);
    }
    this.#queue = this.#queue.filter(({ members }) => members.length > 0);
  }

  release(owner: Owner): void {
    if (this.#exclusive === owner) this.#exclusive = undefined;
    else this.#sharing.delete(owner);
  }

  /** Exclusive becomes shared; waiting shared requests at the best priority are granted first. */
  downgrade(owner: Owner): void {
    if (this.#exclusive !== owner) return;
    this.#exclusive = undefined;
    this.#sharing.add(owner);
    const [first] = this.#queue;
    const shared = first && this.#sharedEntry(first.priority);
    if (shared === undefined) return;
    this.#queue = [shared, ...this.#queue.filter((entry) => entry !== shared)];
  }

  /** Removes all holders and waiting requests; returns the owners that waited. */
  clear(): Owner[] {
    const waiting = this.#queue.flatMap(({ members }) => members);
    this.#queue = [];
    this.#exclusive = undefined;
    this.#sharing.clear();
    return waiting;
  }

  holders(): Owner[] {
    return this.#exclusive === undefined ? [...this.#sharing] : [this.#exclusive];
  }

  /** Entries in order. */
  pending(): readonly { readonly mode: LockMode; readonly members: readonly Owner[] }[] {
    return this.#queue.map(({ mode, members }) => ({ mode, members: [...members] }));
  }

  #fits(mode: LockMode): boolean {
    return this.#exclusive === undefined && (mode === "shared" || this.#sharing.size === 0);
  }

  #hold(owner: Owner, mode: LockMode): void {
    if (mode === "exclusive") this.#exclusive = owner;
    else this.#sharing.add(owner);
  }

  #sharedEntry(priority: number): Entry<Owner> | undefined {
    return this.#queue.find((entry) => entry.mode === "shared" && entry.priority === priority);
  }
}
