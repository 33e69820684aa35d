/** Fields of a resource, with the functions that read their values. */
import type { FieldDefinition, ResultEntry } from "./result.js";

/** A field of a resource: its definition, and how its value is read from an item. */
export interface QueryField<Item> {
  readonly definition: FieldDefinition;
  /**
   * Representation of the value in filters. `hostname`: also equal to a name without the domain; `timestamp`:
   * the seconds of `[seconds, microseconds]`.
   */
  readonly seenAs?: "hostname" | "timestamp" | undefined;
  /** `undefined` until live data of the item has been collected. */
  readonly entry: (item: Item) => ResultEntry | undefined;
}

/** A kind of item that can be queried. */
export interface QueryResource<Item> {
  /** Name of an item in messages: `Node`. */
  readonly title: string;
  /** Names match `[a-z0-9/._]+` and are unique. */
  readonly fields: readonly QueryField<Item>[];
  /** The field with an item's name: `id` for jobs, `node` for exports, otherwise `name`. */
  readonly nameField: string;
  /** Sort key of items: digits in it are compared as numbers. */
  readonly name: (item: Item) => string;
  /** Replaces an item that was selected by name and does not exist; if absent, that is an error. */
  readonly missing?: ((name: string) => Item) | undefined;
}
