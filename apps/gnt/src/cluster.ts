/**
 * Port to a cluster for commands. Its implementations are a server of ours or a real Ganeti
 * (src/remote).
 */
import type { FilterExpression, Json, JsonObject } from "@ganeti-ts/protocol";

export type QueryKind =
  | ("group" | "export" | "instance" | "job")
  | ("lock" | "network" | "node" | "filter");

/** A type, not an interface, so that it is assignable to Json. */
export type FieldDefinition = {
  readonly name: string;
  readonly title: string;
  /** unknown, text, bool, number, float, unit, timestamp, other. */
  readonly kind: string;
  readonly doc: string;
};

/** For each object and field its status, 0 if there is a value, and the value. */
export interface QueryTable {
  readonly fields: readonly FieldDefinition[];
  readonly data: readonly (readonly (readonly [status: number, value: Json])[])[];
}

/** An opcode as it travels: `OP_ID` and parameters by the names of `@ganeti-ts/protocol`. */
export interface OpcodeJson extends JsonObject {
  readonly OP_ID: string;
}

/** A refusal may also come as Ganeti's class of error with its arguments. */
export type Submitted =
  | { readonly id: number }
  | { readonly refused: string; readonly error?: Json };

/** Resources that a job holds on nodes. */
interface Claimed {
  readonly uuid: string;
  readonly kind: string;
  readonly job: number;
  /** Null for a job that is no longer known. */
  readonly job_status: string | null;
  /** Seconds since the epoch. */
  readonly since: number | null;
  readonly nodes: readonly string[];
  readonly instance: string | null;
  readonly devices: number;
}

/** Last known state of a job; null values before the first answer. */
export interface Seen {
  readonly values: readonly Json[] | null;
  readonly serial: number | null;
}

export interface LogEntry {
  readonly serial: number;
  /** Seconds and microseconds since the epoch. */
  readonly time: readonly [number, number];
  readonly type: string;
  readonly message: Json;
}

export type JobChange =
  /** No change for some seconds. */
  | "nothing"
  /** The job does not exist. */
  | "gone"
  | { readonly values: readonly Json[]; readonly log: readonly LogEntry[] };

export type TagKind = "cluster" | "node" | "group" | "instance" | "network";

/** Kind of the objects whose tags a program changes; other programs have none. */
export const taggedKinds: Readonly<Record<string, TagKind>> = {
  "gnt-cluster": "cluster",
  "gnt-node": "node",
  "gnt-group": "group",
  "gnt-instance": "instance",
  "gnt-network": "network",
};

/** Parts of a rule; omitted ones have their defaults. */
export interface RuleParts extends JsonObject {
  readonly priority?: number;
  readonly predicates?: Json;
  readonly action?: Json;
  readonly reason?: Json;
}

/** Methods throw the errors of errors.ts. The connection is made by the first call. */
export interface Cluster {
  /** `/2/info`. */
  info(): Promise<JsonObject>;
  query(kind: QueryKind, fields: readonly string[], filter: FilterExpression): Promise<QueryTable>;
  /** All fields of a kind, or the named ones. */
  queryFields(kind: QueryKind, names?: readonly string[]): Promise<readonly FieldDefinition[]>;
  /** Jobs of one or more opcodes each; answers in their order. */
  submit(jobs: readonly (readonly OpcodeJson[])[]): Promise<readonly Submitted[]>;
  /** As `/2/jobs/N` shows it; undefined if there is none. */
  job(id: number): Promise<JsonObject | undefined>;
  /** Answers when a field has changed or the log has grown, or after some seconds. */
  waitForChange(id: number, fields: readonly string[], seen: Seen): Promise<JobChange>;
  /** Whether the job was cancelled, and a message for people. `kill` ends a running job. */
  cancel(id: number, kill?: boolean): Promise<readonly [done: boolean, message: string]>;
  changePriority(id: number, priority: number): Promise<readonly [done: boolean, message: string]>;
  archive(id: number): Promise<boolean>;
  /** Archives jobs that ended more than this number of seconds ago; -1 for all. */
  autoArchive(ageSeconds: number): Promise<readonly [archived: number, unchecked: number]>;
  /** Hindrances that keep a job from running; undefined if it has ended or does not exist. */
  why(id: number): Promise<readonly { readonly kind: string; readonly text: string }[] | undefined>;
  /** Claims of jobs: resources of nodes, held until the job's effect is in the configuration, and leftovers of ended jobs. */
  claims(): Promise<readonly Claimed[]>;
  /** Whether the queue accepts no new jobs. */
  isDrained(): Promise<boolean>;
  setDrained(drained: boolean): Promise<void>;
  /** End of the watcher's pause, in seconds since the epoch; null if it is not paused. */
  watcherPause(): Promise<number | null>;
  setWatcherPause(until: number | null): Promise<void>;
  /** Writes a new key for configuration queries (confd) to the server's file. */
  renewConfdKey(): Promise<void>;
  /** `name` is required for all kinds but the cluster. */
  tags(kind: TagKind, name?: string): Promise<readonly string[]>;
  /** Creates or replaces the rule with that UUID, or adds a new one for null. Returns the UUID. */
  putFilter(uuid: string | null, rule: RuleParts): Promise<string>;
  deleteFilter(uuid: string): Promise<void>;
  /** Request to any resource without a method here; the answer is JSON. */
  call(
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: string,
    parts?: { readonly query?: Readonly<Record<string, string | number>>; readonly body?: Json },
  ): Promise<Json>;
}
