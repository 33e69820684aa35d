/** Indexes from the values of a field to the items that have them. */
import type { FilterValue } from "@ganeti-ts/protocol";
import type { FilterLeaf } from "./filter.js";
import type { QueryField } from "./query-field.js";
import { type ResultEntry, resultStatus } from "./result.js";

/** Leaves that an index answers: `==`, and `=[]`. */
export type IndexedLeaf = Extract<FilterLeaf, { readonly kind: "compare" | "contains" }>;

/** Items that may match, by id; the others certainly do not. */
export interface Narrowed {
  readonly ids: ReadonlySet<string>;
  /** Whether judging one of these ids can fail with a value of the wrong type. */
  readonly mayFail: boolean;
}

/** Values of an entry as keys, and what they are; `unfit` values let a leaf fail, or match everything. */
interface Keys {
  readonly type: "text" | "number" | "absent" | "unfit";
  readonly keys: readonly (string | number)[];
}

type KeysOf = (value: unknown) => Keys;

const unfit: Keys = { type: "unfit", keys: [] };
/** A value that is not present matches every leaf, without a failure. */
const absent: Keys = { type: "absent", keys: [] };

const isText = (value: unknown): value is string => typeof value === "string";
const isNumeric = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

const isInteger = (value: unknown): boolean => typeof value === "bigint" || Number.isInteger(value);

/** A name, and its beginnings at a dot: a host is also found by these. */
function beginnings(name: string): readonly string[] {
  const found = [name];
  for (let at = name.indexOf("."); at >= 0; at = name.indexOf(".", at + 1)) {
    found.push(name.slice(0, at));
  }
  return found;
}

const equalKeys =
  (seenAs: QueryField<never>["seenAs"]): KeysOf =>
  (given) => {
    const value = seenAs === "timestamp" && Array.isArray(given) ? given[0] : given;
    // NaN would be equal to every number.
    if (isNumeric(value) && !Number.isNaN(value)) return { type: "number", keys: [Number(value)] };
    if (!isText(value)) return unfit;
    return { type: "text", keys: seenAs === "hostname" ? beginnings(value) : [value] };
  };

/** An empty list fits both types and has no member. */
const memberKeys: KeysOf = (value) => {
  if (!Array.isArray(value)) return unfit;
  if (value.every(isText)) return { type: "text", keys: value };
  if (value.every(isInteger)) return { type: "number", keys: value.map(Number) };
  return unfit;
};

/**
 * Index of one field for one kind of leaf. Entries are given as they were when an item is removed, so that the index
 * keeps nothing but ids. O(values of the entry) for each call.
 */
export class FieldIndex {
  readonly #keysOf: KeysOf;
  readonly #ids = new Map<string | number, string | Set<string>>();
  readonly #absent = new Set<string>();
  readonly #unfit = new Set<string>();
  /** Number of items with values of a type. */
  readonly #count = { text: 0, number: 0 };

  constructor(kind: IndexedLeaf["kind"], seenAs: QueryField<never>["seenAs"]) {
    this.#keysOf = kind === "contains" ? memberKeys : equalKeys(seenAs);
  }

  add(id: string, entry: ResultEntry): void {
    const { type, keys } = this.#read(entry);
    if (type === "absent") this.#absent.add(id);
    else if (type === "unfit") this.#unfit.add(id);
    else if (keys.length > 0) this.#count[type]++;
    for (const key of keys) {
      const known = this.#ids.get(key);
      if (known === undefined) this.#ids.set(key, id);
      else if (typeof known !== "string") known.add(id);
      else if (known !== id) this.#ids.set(key, new Set([known, id]));
    }
  }

  remove(id: string, entry: ResultEntry): void {
    const { type, keys } = this.#read(entry);
    if (type === "absent") this.#absent.delete(id);
    else if (type === "unfit") this.#unfit.delete(id);
    else if (keys.length > 0) this.#count[type]--;
    for (const key of keys) {
      const known = this.#ids.get(key);
      if (known === id) this.#ids.delete(key);
      else if (known instanceof Set && known.delete(id) && known.size === 0) this.#ids.delete(key);
    }
  }

  /** Items for which the leaf may be true or fail; undefined if that may be all. O(found). */
  narrow(wanted: FilterValue): Narrowed | undefined {
    // The leaf fails for each item with a value of the other type.
    if (this.#count[isText(wanted) ? "number" : "text"] > 0) return undefined;
    const found = this.#ids.get(isText(wanted) ? wanted : Number(wanted));
    const others = this.#absent.size + this.#unfit.size;
    const mayFail = this.#unfit.size > 0;
    if (others === 0 && found instanceof Set) return { ids: found, mayFail };
    const ids = new Set([...this.#absent, ...this.#unfit]);
    if (typeof found === "string") ids.add(found);
    else for (const id of found ?? []) ids.add(id);
    return { ids, mayFail };
  }

  #read([status, value]: ResultEntry): Keys {
    return status === resultStatus.normal ? this.#keysOf(value) : absent;
  }
}
