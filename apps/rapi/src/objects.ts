/** What the cluster consists of, as the resources of the API ask about it. */
import type { NodeAnswer } from "@ganeti-ts/node-calls";
import type { Json } from "@ganeti-ts/protocol";
import type { FieldDefinition, QueryResult } from "@ganeti-ts/query";

/** Kinds of things that have resources of their own. */
export type ObjectKind = "node" | "group" | "network" | "instance";

/** What can be queried. */
export type QueryKind =
  | ObjectKind
  | "cluster"
  | "export"
  | "extstorage"
  | "filter"
  | "job"
  | "lock"
  | "os";

export interface Objects {
  /** `/2/info`, as JSON text. */
  infoText(): string;
  /** What each is called: its name, or of a reservation without one its UUID; in the order of code units. */
  names(kind: ObjectKind): readonly string[];
  /**
   * All of a kind with all that the API shows of each: a JSON list and a newline as UTF-8, in parts to
   * be sent one after the other.
   */
  listParts(
    kind: ObjectKind,
    options?: { readonly unplaced?: boolean },
  ): Promise<readonly Uint8Array[]>;
  /** One of them, by name or UUID, as JSON text; undefined if there is none. */
  objectText(kind: ObjectKind, name: string): Promise<string | undefined>;
  /** Undefined if there is no such thing; the cluster needs no name. */
  tags(kind: ObjectKind | "cluster", name: string): readonly string[] | undefined;
  /** @throws FilterError, with Ganeti's words */
  query(kind: QueryKind, fields: readonly string[], filter: Json): Promise<QueryResult>;
  /** All fields of a kind if no names are given. */
  fields(kind: QueryKind, names?: readonly string[]): readonly FieldDefinition[];
  /** Seconds since the epoch until which the watcher does nothing; null: it works. */
  watcherPause(): Promise<number | null>;
  pauseWatcher(until: number | null): Promise<void>;
  /** On the node of that name or UUID. */
  runOnNode(
    node: string,
    command: string,
  ): Promise<NodeReply<{ readonly output: string; readonly exitCode: number }>>;
  fileToNode(
    node: string,
    file: { readonly path: string; readonly content: string; readonly mode: number },
  ): Promise<NodeReply<null>>;
}

/** Undefined: there is no such node. */
export type NodeReply<Value> = NodeAnswer<Value> | undefined;
