/** Indexes of the instances' fields, made when a filter asks for them and kept up to date by what has changed. */
import type { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { FieldIndex, type Filter, type IndexedLeaf, narrowed } from "@ganeti-ts/query";
import { affectedInstances } from "./affected-instances.js";
import type { Field } from "./field.js";
import { instanceFields } from "./instance-fields.js";

/** Most fields that have an index at the same time; the one that was not used for longest goes first. */
const indexesMax = 8;
/** Options of `InstanceIndexes`. */
interface IndexOptions {
  /** Fewer instances are judged one by one. Default 500. */
  readonly instancesMin?: number;
}

interface Kept {
  readonly field: Field<InstanceObject>;
  readonly index: FieldIndex;
}

/**
 * Finds the instances that a filter may match. The first filter with a field costs O(instances), a later one what has
 * changed since and what it finds; about 100 bytes for each instance and index.
 */
export class InstanceIndexes {
  readonly #instancesMin: number;
  #now: Snapshot | undefined;
  /** By field and kind of leaf; the least recently used first. */
  readonly #kept = new Map<string, Kept>();

  constructor({ instancesMin = 500 }: IndexOptions = {}) {
    this.#instancesMin = instancesMin;
  }

  /** By UUID, as in the snapshot. Undefined: it may be all. */
  candidates(now: Snapshot, filter: Filter): readonly InstanceObject[] | undefined {
    if (now.instanceCount < this.#instancesMin) return undefined;
    const ids = narrowed(filter, (leaf) => this.#indexFor(now, leaf));
    if (ids === undefined || ids.size * 2 > now.instanceCount) return undefined;
    return [...ids].sort().flatMap((uuid) => now.get("instance", uuid) ?? []);
  }

  #indexFor(now: Snapshot, leaf: IndexedLeaf): FieldIndex | undefined {
    const field = indexedFields.get(leaf.field);
    if (field === undefined) return undefined;
    this.#follow(now);
    const key = `${leaf.kind} ${leaf.field}`;
    const kept = this.#kept.get(key) ?? { field, index: indexOf(now, leaf, field) };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= indexesMax) break;
      this.#kept.delete(oldest);
    }
    return kept.index;
  }

  /** Snapshots may come in any order. */
  #follow(now: Snapshot): void {
    const before = this.#now;
    if (before === now) return;
    this.#now = now;
    if (before === undefined || this.#kept.size === 0) return;
    const affected = affectedInstances(before, now);
    if (affected === undefined || affected.size * 4 > now.instanceCount) {
      this.#kept.clear();
      return;
    }
    for (const { field, index } of this.#kept.values()) {
      for (const uuid of affected) {
        const was = before.get("instance", uuid);
        if (was !== undefined) index.remove(uuid, entryOf(field, was, before));
        const is = now.get("instance", uuid);
        if (is !== undefined) index.add(uuid, entryOf(field, is, now));
      }
    }
  }
}

/** All fields whose values come from the configuration. */
const indexedFields: ReadonlyMap<string, Field<InstanceObject>> = new Map(
  instanceFields
    .filter(({ needs }) => needs === undefined)
    .map((field) => [field.definition.name, field]),
);

const entryOf = (field: Field<InstanceObject>, instance: InstanceObject, now: Snapshot) =>
  field.entry(instance, { now, live: undefined });

function indexOf(now: Snapshot, leaf: IndexedLeaf, field: Field<InstanceObject>): FieldIndex {
  const index = new FieldIndex(leaf.kind, field.seenAs);
  for (const instance of now.instances()) index.add(instance.uuid, entryOf(field, instance, now));
  return index;
}
