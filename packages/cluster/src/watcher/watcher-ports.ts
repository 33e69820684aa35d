/** Ports, settings and counters of the watcher. */
import type { Snapshot } from "@ganeti-ts/config";
import type { LockManager } from "@ganeti-ts/locking";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { CancelSignal, Clock, GroupObject } from "@ganeti-ts/protocol";
import type { ClusterLog } from "../log.js";
import type { ClusterQueue } from "../queue/cluster-queue.js";
import type { JobSlots } from "./job-slots.js";

/** Store of the watcher's notes: texts by the UUID of the node group. */
export interface WatcherNotesStore {
  /** Undefined if there are none. */
  load(group: string): Promise<string | undefined>;
  /** Resolves when the text is durable. */
  save(group: string, text: string): Promise<void>;
}

/** Settings of the watcher: its interval, and the store of its notes. */
export interface WatcherOptions {
  /** Time (ms) between the starts of two rounds, and before the first round. */
  readonly intervalMs: number;
  readonly notes: WatcherNotesStore;
}

export interface WatcherPorts extends WatcherOptions {
  /** Refreshes the configuration, so that it contains everything stored before the call. */
  readonly refreshed: () => Promise<Snapshot>;
  readonly nodes: NodeBackend;
  readonly queue: Pick<
    ClusterQueue,
    | "submit"
    | "ended"
    | "archive"
    | "autoArchive"
    | "settings"
    | "isOpen"
    | "live"
    | "openIds"
    | "query"
  >;
  readonly locks: Pick<LockManager, "acquire" | "release" | "monitor">;
  /** Lease of this worker; when it expires, another worker takes over the watch. */
  readonly lease: string;
  /** End of the watcher's pause in seconds since the epoch; null: no pause. */
  readonly pausedUntil: () => Promise<number | null>;
  readonly clock: Clock;
  readonly log: ClusterLog;
}

/** Notes that live as long as the process. */
export function memoryWatcherNotes(): WatcherNotesStore {
  const texts = new Map<string, string>();
  return {
    load: async (group) => texts.get(group),
    save: async (group, text) => void texts.set(group, text),
  };
}

/** Counters of a watcher since its start. */
export interface WatcherCounts {
  rounds: number;
  restarts: number;
  cleanups: number;
  activations: number;
  /** Instances that were not restarted again because the limit was reached. */
  givenUp: number;
}

/** Context of a round of one group, in addition to the ports. */
export interface RoundContext {
  readonly ports: WatcherPorts;
  readonly counts: WatcherCounts;
  /** Shared by the rounds of all groups. */
  readonly slots: JobSlots;
  /** Names of instances for which this or an earlier round has jobs that have not ended. */
  readonly pending: Set<string>;
  /** UUIDs of groups whose disks are being verified. */
  readonly verifying: Set<string>;
  /** Starts work that the round does not wait for; failures are logged. */
  inBackground(group: GroupObject, work: () => Promise<void>): void;
  /** Fires when the watcher is stopped. */
  readonly signal: CancelSignal;
}
