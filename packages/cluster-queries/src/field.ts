/** What can be asked about an object of the cluster: a column, and where its value is. */
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

/** What values are read from: one configuration, and what nodes said about themselves. */
export interface FieldContext {
  readonly now: Snapshot;
  /** Absent while it has not been collected. */
  readonly live: LiveData | undefined;
}

/** A field of a kind of things: its definition, and how its value is read. */
export interface Field<Item> {
  readonly definition: FieldDefinition;
  readonly seenAs?: QueryField<Item>["seenAs"];
  /** Absent where the configuration alone tells. */
  readonly needs?: LiveNeed;
  /** With `needs`, it is only called when live data is there. */
  readonly entry: (item: Item, context: FieldContext) => ResultEntry;
}

/** A value that is always there. */
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

/** A value that need not be there; it then makes no sense for the item, or is not known. */
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

/** null and undefined are absent. */
export function orAbsent(value: unknown, absent: "unavailable" | "noData"): ResultEntry {
  if (value !== null && value !== undefined) return normal(value);
  return absent === "unavailable" ? unavailable : noData;
}

/** The fields as a query takes them; `context` is read anew for every value. */
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
