/** What can be asked about an item: the fields of a resource, and where their values are. */
import type { FieldDefinition, ResultEntry } from "./result.js";

/** A field of a resource: its definition, and how its value is read from an item. */
export interface QueryField<Item> {
  readonly definition: FieldDefinition;
  /**
   * How filters see the value. `hostname`: equal also to a name that leaves the domain out;
   * `timestamp`: of `[seconds, microseconds]` the seconds alone.
   */
  readonly seenAs?: "hostname" | "timestamp" | undefined;
  /** `undefined` while live data of the item has not been collected yet. */
  readonly entry: (item: Item) => ResultEntry | undefined;
}

/** A kind of item that can be queried. */
export interface QueryResource<Item> {
  /** As messages call one of them: `Node`. */
  readonly title: string;
  /** Names match `[a-z0-9/._]+` and are unique. */
  readonly fields: readonly QueryField<Item>[];
  /** The field that holds an item's name: `id` of jobs, `node` of exports, `name` of all else. */
  readonly nameField: string;
  /** What items are ordered by: digits in it count as numbers. */
  readonly name: (item: Item) => string;
  /**
   * Stands for an item that was asked for by name and does not exist; where this is absent, that
   * is an error.
   */
  readonly missing?: ((name: string) => Item) | undefined;
}
