/** Port to the records of logins and of actions that are no jobs, with an implementation in memory. */

/** An action that leaves no job. */
export interface AccessRecord {
  /** Whole microseconds since the epoch. */
  readonly at: number;
  /** Name of the user, also an unknown one after a failed login; null for the local sockets. */
  readonly user: string | null;
  /** Address of the client; null for the local sockets. */
  readonly address: string | null;
  /** Kind of action, such as `cancel` or `failed login`. */
  readonly action: string;
  /** The job, rule or other object that it is about; may be empty. */
  readonly object: string;
  /** Whether it took effect. */
  readonly done: boolean;
  /** Outcome for people. */
  readonly text: string;
}

/** A record in the store; later ones have higher ids. */
export interface StoredAccess extends AccessRecord {
  readonly id: number;
}

/** Records of one cluster, and its ended sessions. All servers of the cluster share them. */
export interface AccessStore {
  /** Durable when it resolves. Only the latest records of each kind of action are kept: see `accessKept`. */
  add(record: AccessRecord): Promise<void>;
  /** The latest records, newest first; with `before` only those with lower ids. */
  latest(count: number, before?: number): Promise<readonly StoredAccess[]>;
  /**
   * Ends a session; durable when it resolves. Times in ms since the epoch: the entry is needed until `until`, others
   * are removed once that has passed, and where there are more than `endedSessionsMax`, those that end first.
   */
  endSession(
    session: string,
    times: { readonly now: number; readonly until: number },
  ): Promise<void>;
  isEnded(session: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Records kept of each kind of action, so that e.g. failed logins push out no other ones. */
export const accessKept = 10_000;

/** Maximum number of ended sessions that are remembered. */
export const endedSessionsMax = 100_000;

/** Bounds of a store; smaller ones are for tests. */
export interface AccessBounds {
  readonly kept?: number;
  readonly sessionsMax?: number;
}

/** Lengths (characters) of the texts of a record. */
const lengths = { user: 200, address: 100, action: 40, object: 300, text: 1000 } as const;

/** The record with texts that any store can hold: cut to their lengths, without zero characters. */
export function storable(record: AccessRecord): AccessRecord {
  const cut = (name: keyof typeof lengths) =>
    (record[name] as string | null)?.slice(0, lengths[name]).replaceAll("\0", "\uFFFD") ?? null;
  return {
    ...{ at: record.at, user: cut("user"), address: cut("address"), action: cut("action") ?? "" },
    ...{ object: cut("object") ?? "", done: record.done, text: cut("text") ?? "" },
  };
}

/** Records that live as long as the process: for tests, trials and shadows. */
export class MemoryAccessStore implements AccessStore {
  readonly #kept: number;
  readonly #sessionsMax: number;
  #records: readonly StoredAccess[] = [];
  #last = 0;
  /** Ends by session. */
  #ended: ReadonlyMap<string, number> = new Map();

  constructor({ kept = accessKept, sessionsMax = endedSessionsMax }: AccessBounds = {}) {
    this.#kept = kept;
    this.#sessionsMax = sessionsMax;
  }

  async add(record: AccessRecord): Promise<void> {
    const { action } = record;
    const alike = this.#records.filter((one) => one.action === action);
    const oldest = alike.length < this.#kept ? undefined : alike[0];
    this.#last += 1;
    this.#records = [
      ...this.#records.filter((one) => one !== oldest),
      { ...storable(record), id: this.#last },
    ];
  }

  async latest(count: number, before = Number.POSITIVE_INFINITY): Promise<readonly StoredAccess[]> {
    return this.#records
      .filter(({ id }) => id < before)
      .slice(-count)
      .reverse();
  }

  async endSession(
    session: string,
    { now, until }: { readonly now: number; readonly until: number },
  ): Promise<void> {
    const left = [...this.#ended].filter(([, end]) => end > now);
    this.#ended = new Map(
      [...left, [session, until] as const].sort(([, a], [, b]) => a - b).slice(-this.#sessionsMax),
    );
  }

  async isEnded(session: string): Promise<boolean> {
    return this.#ended.has(session);
  }

  async close(): Promise<void> {}
}
