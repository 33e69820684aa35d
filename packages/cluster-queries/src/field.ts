/** Query field of an object: a column, with the function that reads its value. */
import type { Snapshot } from "@ganeti-ts/config";
import {
  type FieldDefinition,
  type FieldKind,
  normal,
  type QueryField,
  type ResultEntry,
  resultStatus,
} from "@ganeti-ts/query";
import type { LiveData, LiveNeed } from "./live-data.js";

/** Context in which values are read: one configuration, with the live data of nodes. */
export interface FieldContext {
  readonly now: Snapshot;
  /** Absent until it has been collected. */
  readonly live: LiveData | undefined;
}

/** A field of a kind of things: its definition, and how its value is read. */
export interface Field<Item> {
  readonly definition: FieldDefinition;
  readonly seenAs?: QueryField<Item>["seenAs"];
  /** Absent if the configuration is sufficient. */
  readonly needs?: LiveNeed;
  /** With `needs`, only called when live data is present. */
  readonly entry: (item: Item, context: FieldContext) => ResultEntry;
}

/** A field that always has a value. */
export function field<Item>(
  [name, title, kind, doc]: Column,
  value: (item: Item, now: Snapshot) => unknown,
  seenAs?: Field<Item>["seenAs"],
): Field<Item> {
  return {
    definition: { name, title, kind, doc },
    ...(seenAs === undefined ? {} : { seenAs }),
    entry: (item, { now }) => normal(value(item, now)),
  };
}

/** A field whose value may be absent: not applicable to the item, or unknown. */
export function optionalField<Item>(
  column: Column,
  absent: "unavailable" | "noData",
  value: (item: Item, now: Snapshot) => unknown,
  seenAs?: Field<Item>["seenAs"],
): Field<Item> {
  return {
    ...field(column, value, seenAs),
    entry: (item, { now }) => orAbsent(value(item, now), absent),
  };
}

/** `name, title, kind, doc` */
export type Column = readonly [name: string, title: string, kind: FieldKind, doc: string];

export const unavailable: ResultEntry = [resultStatus.unavailable, null];
export const noData: ResultEntry = [resultStatus.noData, null];
export const offline: ResultEntry = [resultStatus.offline, null];

/** null and undefined count as absent. */
export function orAbsent(value: unknown, absent: "unavailable" | "noData"): ResultEntry {
  if (value !== null && value !== undefined) return normal(value);
  return absent === "unavailable" ? unavailable : noData;
}

/** The fields in the form of the query package; `context` is called for every value. */
export function queryFields<Item>(
  fields: readonly Field<Item>[],
  context: FieldContext,
): readonly QueryField<Item>[] {
  return fields.map(({ definition, seenAs, needs, entry }) => ({
    definition,
    seenAs,
    entry: (item) =>
      needs !== undefined && context.live === undefined ? undefined : entry(item, context),
  }));
}
