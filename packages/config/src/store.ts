/** Where a configuration is kept: one row per object. */

/** `cluster` and `head` have one row each, with an empty uuid. */
export type RowType = "head" | "cluster" | "node" | "group" | "instance" | "disk" | "network";

/** An object as JSON; null if it was removed. */
export interface ConfigRow {
  readonly type: RowType;
  readonly uuid: string;
  /** Of the commit that wrote it. */
  readonly serial: number;
  readonly document: string | null;
}

/** A configuration as a store has it, with its serial number. */
export interface StoredConfiguration {
  /** Of the last commit; 0: nothing has been stored. */
  readonly serial: number;
  readonly rows: readonly ConfigRow[];
}

/** Rows that change together, and the state they are based on. */
export interface Commit {
  /** Of the commit that this one is based on. */
  readonly expectedSerial: number;
  /** Its own, above that. */
  readonly serial: number;
  readonly rows: readonly ConfigRow[];
  /** `worker:fence` of the job queue's worker on whose behalf this is, if it must still be one. */
  readonly lease?: string;
}

/**
 * | outcome | meaning |
 * |---|---|
 * | `done` | durable, all of it |
 * | `conflict` | somebody else has committed since; nothing was written |
 * | `lease lost` | that worker may not act any more; nothing was written |
 */
export type CommitOutcome = "done" | "conflict" | "lease lost";

/** Commits are all or nothing and take turns. Whatever is thrown, nothing is known to be written. */
export interface ConfigStore {
  /** Whether other processes may commit too. */
  readonly shared: boolean;
  /** All objects. */
  load(): Promise<StoredConfiguration>;
  commit(commit: Commit): Promise<CommitOutcome>;
  /** The last form of each object written after that commit, or `too old` if removals since are forgotten. */
  changesSince(serial: number): Promise<StoredConfiguration | "too old">;
  /** Calls the listener when somebody else may have committed; at most one listener. */
  onNews(listener: () => void): void;
  close(): Promise<void>;
}
