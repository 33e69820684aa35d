/** Index of a snapshot: its entries by kind, some kinds of which are built only when they are needed. */
import type { DiskObject } from "@ganeti-ts/protocol";
import { type EntryKind, entriesOf, entryText, kindsByType } from "./index-entries.js";
import { type ObjectsByType, type ObjectType, objectTypes } from "./objects.js";
import type { SortedMap, TextGroups } from "./sorted.js";
import { eachSuffix, sortedMap, sortedTexts, suffixesOf } from "./sorted.js";

/** The objects of a snapshot by UUID. */
export type Tables = { readonly [T in ObjectType]: SortedMap<ObjectsByType[T]> };

/** An object whose entries may change. */
export interface Touched {
  readonly type: ObjectType;
  readonly uuid: string;
}

/**
 * Relations of instances, and claims of resources (volumes, minors, ports, addresses). They are needed only by requests and
 * changes, and a large cluster is loaded in less than half the time without them.
 */
const lateKinds: readonly EntryKind[] = [
  ...(["primary", "secondary", "forthcoming", "attached", "connected"] as const),
  ...(["claimed", "nic", "mac", "port", "minor", "secret", "lv"] as const),
];

const isLate: ReadonlySet<EntryKind> = new Set(lateKinds);

/** Kinds with many entries per key, such as the instances of a node, which are mostly visited in order. */
const isGrouped: ReadonlySet<EntryKind> = new Set([
  ...(["name", "member", "primary", "secondary", "connected", "forthcoming"] as const),
  ...(["claimed", "minor", "lv"] as const),
]);

export class SnapshotIndex {
  readonly #tables: Tables;
  readonly #trees: Map<EntryKind, SortedMap<true>>;

  private constructor(tables: Tables, trees: Map<EntryKind, SortedMap<true>>) {
    this.#tables = tables;
    this.#trees = trees;
  }

  /** Builds all kinds that are not late. O(n log n). */
  static of(tables: Tables): SnapshotIndex {
    const index = new SnapshotIndex(tables, new Map());
    index.#build((kind) => !isLate.has(kind));
    return index;
  }

  /**
   * The index of the next snapshot, in which the touched objects are as `tables` has them. O(touched + entries that
   * change * log n); kinds that have not been built stay so.
   */
  with(tables: Tables, touched: readonly Touched[]): SnapshotIndex {
    const trees = new Map(this.#trees);
    const own = new Set<EntryKind>();
    const treeOf = (kind: EntryKind): SortedMap<true> | undefined => {
      const tree = trees.get(kind);
      if (tree === undefined || own.has(kind)) return tree;
      const clone = tree.clone();
      own.add(kind);
      trees.set(kind, clone);
      return clone;
    };
    const steps = touched.map((one) => ({
      old: entriesIn(this.#tables, one),
      now: entriesIn(tables, one),
    }));
    // A new instance has the entries of the claim that it replaces.
    for (const { old, now } of steps) {
      for (const [entry, kind] of old) if (!now.has(entry)) treeOf(kind)?.delete(entry);
    }
    for (const { old, now } of steps) {
      for (const [entry, kind] of now) if (!old.has(entry)) treeOf(kind)?.set(entry, true);
    }
    return new SnapshotIndex(tables, trees);
  }

  /** Builds one late kind that has not been built yet; false if there is none. O(n log n). */
  buildNext(): boolean {
    const next = lateKinds.find((kind) => !this.#trees.has(kind));
    if (next !== undefined) this.#build((kind) => kind === next);
    return next !== undefined;
  }

  /** The suffixes of entries that begin with exactly this text, whose first part is a kind. O(log n + found). */
  suffixesOf(prefix: string, countMax?: number): readonly string[] {
    const tree = this.#treeOf(prefix);
    return tree === undefined ? [] : suffixesOf(tree, prefix, countMax);
  }

  /** Calls `visit` with each of these entries, and where its suffix begins. O(log n + found). */
  eachSuffix(prefix: string, visit: (entry: string, at: number) => void): void {
    const tree = this.#treeOf(prefix);
    if (tree !== undefined) eachSuffix(tree, prefix, visit);
  }

  #treeOf(prefix: string): SortedMap<true> | undefined {
    const kind = prefix.slice(0, prefix.indexOf("\0")) as EntryKind;
    if (!this.#trees.has(kind)) this.#build((one) => one === kind);
    return this.#trees.get(kind);
  }

  #build(wants: (kind: EntryKind) => boolean): void {
    const entries = new Map<EntryKind, TextGroups>();
    // Only these entries read disks, which takes longer than all the rest.
    const readsDisks = wants("secondary") || wants("forthcoming");
    const disks = new Map<string, DiskObject>();
    // Building a map and looking up each disk in it is faster than lookups in the tree.
    if (readsDisks) this.#tables.disk.forEachPair((uuid, disk) => void disks.set(uuid, disk));
    const diskOf = (uuid: string) => disks.get(uuid);
    for (const type of objectTypes) {
      const kinds = kindsByType[type].filter(wants);
      for (const kind of kinds) if (!entries.has(kind)) entries.set(kind, new Map());
      if (kinds.length === 0) continue;
      this.#tables[type].forEachPair((_, object) => {
        entriesOf(type, object, diskOf, (kind, ...parts) => {
          const groups = entries.get(kind);
          if (groups !== undefined) addText(groups, kind, parts);
        });
      });
    }
    for (const [kind, all] of entries) {
      const sorted = sortedTexts(all);
      this.#trees.set(
        kind,
        sortedMap(
          sorted,
          sorted.map(() => true as const),
        ),
      );
    }
  }
}

function addText(groups: TextGroups, kind: EntryKind, parts: readonly (string | number)[]): void {
  const key = isGrouped.has(kind) ? String(parts[0]) : "";
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [entryText(kind, parts)]);
  else group.push(entryText(kind, parts));
}

/** Kinds of an object's entries by their texts. */
function entriesIn(tables: Tables, { type, uuid }: Touched): ReadonlyMap<string, EntryKind> {
  const object = tables[type].get(uuid);
  const found = new Map<string, EntryKind>();
  if (object === undefined) return found;
  const diskOf = (disk: string): DiskObject | undefined => tables.disk.get(disk);
  entriesOf(type, object, diskOf, (kind, ...parts) => {
    found.set(entryText(kind, parts), kind);
  });
  return found;
}
