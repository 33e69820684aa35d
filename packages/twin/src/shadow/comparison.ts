/** differences: where two JSON values differ. */
import { isJsonObject, type Json, sameJson } from "@ganeti-ts/protocol";

/** A place where the answers differ. */
export interface Difference {
  /** `/2/nodes?bulk=1` */
  readonly resource: string;
  /** `[node1.example.com].mfree`; empty for the whole answer. */
  readonly at: string;
  /** Undefined: the answer has no such value. */
  readonly original: Json | undefined;
  readonly ours: Json | undefined;
}

/** Elements of lists are matched by their name, UUID or id if all have one, else by position. */
export function differences(
  resource: string,
  original: Json | undefined,
  ours: Json | undefined,
): readonly Difference[] {
  const found: Difference[] = [];
  visit(original, ours, "");
  return found;

  function visit(one: Json | undefined, other: Json | undefined, at: string): void {
    if (one !== undefined && other !== undefined && sameJson(one, other)) return;
    const [left, right] = [partsOf(one), partsOf(other)];
    if (left === undefined || right === undefined || left.isList !== right.isList) {
      found.push({ resource, at, original: one, ours: other });
      return;
    }
    for (const key of new Set([...left.parts.keys(), ...right.parts.keys()])) {
      visit(left.parts.get(key), right.parts.get(key), at + key);
    }
  }
}

function partsOf(
  value: Json | undefined,
): { readonly isList: boolean; readonly parts: ReadonlyMap<string, Json> } | undefined {
  if (Array.isArray(value)) {
    const keys = value.map(keyOf);
    const isKeyed = !keys.includes(undefined) && new Set(keys).size === keys.length;
    const parts = value.map((part, at) => [`[${isKeyed ? keys[at] : at}]`, part as Json] as const);
    return { isList: true, parts: new Map(parts) };
  }
  if (!isJsonObject(value)) return undefined;
  const parts = Object.entries(value).map(([key, part]) => [`.${key}`, part as Json] as const);
  return { isList: false, parts: new Map(parts) };
}

/** Key of a list element: its name, UUID or id; the element itself in lists of names. */
function keyOf(value: Json): string | undefined {
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return undefined;
  const key = value.name ?? value.uuid ?? value.id;
  return typeof key === "string" || typeof key === "number" ? String(key) : undefined;
}
