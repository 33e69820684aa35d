/** The port to a cluster: what commands ask of it. Behind it is a server of ours or a real Ganeti (src/remote). */
import type { FilterExpression, Json, JsonObject } from "@ganeti-ts/protocol";

export type QueryKind =
  | ("group" | "export" | "instance" | "job")
  | ("lock" | "network" | "node" | "filter");

/** A type, not an interface: so it is Json. */
export type FieldDefinition = {
  readonly name: string;
  readonly title: string;
  /** unknown, text, bool, number, float, unit, timestamp, other. */
  readonly kind: string;
  readonly doc: string;
};

/** Per thing and field its status, 0 if there is a value, and the value. */
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

/** What was seen of a job when it was last asked for; null for the first time. */
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
  /** Nothing has changed for some seconds. */
  | "nothing"
  /** There is no such job. */
  | "gone"
  | { readonly values: readonly Json[]; readonly log: readonly LogEntry[] };

export type TagKind = "cluster" | "node" | "group" | "instance" | "network";

/** A rule's parts; what is left out has its default. */
export interface RuleParts extends JsonObject {
  readonly priority?: number;
  readonly predicates?: Json;
  readonly action?: Json;
  readonly reason?: Json;
}

/** Methods throw what errors.ts words. Nothing is connected before the first call. */
export interface Cluster {
  /** `/2/info`. */
  info(): Promise<JsonObject>;
  query(kind: QueryKind, fields: readonly string[], filter: FilterExpression): Promise<QueryTable>;
  /** All fields of a kind, or those named. */
  queryFields(kind: QueryKind, names?: readonly string[]): Promise<readonly FieldDefinition[]>;
  /** Jobs of one or more opcodes each; answers in their order. */
  submit(jobs: readonly (readonly OpcodeJson[])[]): Promise<readonly Submitted[]>;
  /** As `/2/jobs/N` shows it; undefined if there is none. */
  job(id: number): Promise<JsonObject | undefined>;
  /** Answers when a field has another value than was seen, or the log is longer, or after some seconds. */
  waitForChange(id: number, fields: readonly string[], seen: Seen): Promise<JobChange>;
  /** Whether it will not run on, and what to tell people. `kill` ends a running one. */
  cancel(id: number, kill?: boolean): Promise<readonly [done: boolean, message: string]>;
  changePriority(id: number, priority: number): Promise<readonly [done: boolean, message: string]>;
  archive(id: number): Promise<boolean>;
  /** Jobs that ended more than so many seconds ago; -1: all. */
  autoArchive(ageSeconds: number): Promise<readonly [archived: number, unchecked: number]>;
  /** What keeps a job from running; undefined if it has ended or never was. */
  why(id: number): Promise<readonly { readonly kind: string; readonly text: string }[] | undefined>;
  /** The queue takes no new jobs. */
  isDrained(): Promise<boolean>;
  setDrained(drained: boolean): Promise<void>;
  /** Until when the watcher does nothing, in seconds since the epoch; null: it works. */
  watcherPause(): Promise<number | null>;
  setWatcherPause(until: number | null): Promise<void>;
  /** A new key for configuration queries (confd), in the server's file. */
  renewConfdKey(): Promise<void>;
  /** `name` of all but the cluster. */
  tags(kind: TagKind, name?: string): Promise<readonly string[]>;
  /** Makes the rule of that UUID, or replaces it; null: a new one. Gives the UUID. */
  putFilter(uuid: string | null, rule: RuleParts): Promise<string>;
  deleteFilter(uuid: string): Promise<void>;
  /** Any resource, for what has no method here; the answer is JSON. */
  call(
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: string,
    parts?: { readonly query?: Readonly<Record<string, string | number>>; readonly body?: Json },
  ): Promise<Json>;
}
