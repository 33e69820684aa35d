/** Port to a configuration store: one row per object. */

/** `cluster` and `head` have one row each, with an empty uuid. */
export type RowType =
  | "head"
  | "cluster"
  | "node"
  | "group"
  | "instance"
  | "disk"
  | "network"
  | "claim";

/** A row of the configuration: an object as JSON, or null if it was removed. */
export interface ConfigRow {
  readonly type: RowType;
  readonly uuid: string;
  /** Serial number of the commit that wrote it. */
  readonly serial: number;
  readonly document: string | null;
}

/** Stored rows and their serial number. */
export interface StoredConfiguration {
  /** Serial number of the last commit; 0: nothing has been stored. */
  readonly serial: number;
  readonly rows: readonly ConfigRow[];
}

/** All rows. A store may read them during the iteration, because a large cluster has hundreds of MiB of them. */
export interface LoadedConfiguration extends Omit<StoredConfiguration, "rows"> {
  /** To be iterated once, before the next call to the store. */
  readonly rows: Iterable<ConfigRow>;
}

/** Rows that change together, and the state they are based on. */
export interface Commit {
  /** Serial number of the commit that this one is based on. */
  readonly expectedSerial: number;
  /** Its own serial number, which is higher. */
  readonly serial: number;
  readonly rows: readonly ConfigRow[];
  /** `worker:fence` of the job queue's worker that makes the change, if its lease must be checked. */
  readonly lease?: string;
}

/**
 * | outcome | meaning |
 * |---|---|
 * | `done` | durable, all of it |
 * | `conflict` | another process has committed since; nothing was written |
 * | `lease lost` | that worker may not act any more; nothing was written |
 */
export type CommitOutcome = "done" | "conflict" | "lease lost";

/** Commits are atomic and serialised. After an error it is unknown whether anything was written. */
export interface ConfigStore {
  /** Whether other processes may commit. */
  readonly shared: boolean;
  /** All objects. */
  load(): Promise<LoadedConfiguration>;
  /**
   * Called before changes are decided: those that come until it resolves are committed together. For stores whose commits
   * cost the same for one change as for many.
   */
  gathering?(): Promise<void>;
  commit(commit: Commit): Promise<CommitOutcome>;
  /**
   * The last form of each object written after that commit, or `too old` if removals since then are no longer
   * stored. For a commit that does not exist yet: no rows.
   */
  changesSince(serial: number): Promise<StoredConfiguration | "too old">;
  /** Calls the listener when another process may have committed; at most one listener. */
  onNews(listener: () => void): void;
  close(): Promise<void>;
}

/** The serial number of the last commit, without reading any object; 0: nothing has been stored. */
export async function storedSerial(store: ConfigStore): Promise<number> {
  const news = await store.changesSince(Number.MAX_SAFE_INTEGER);
  // A store that does not look ahead keeps to the letter of the port.
  return news === "too old" ? (await store.load()).serial : news.serial;
}
