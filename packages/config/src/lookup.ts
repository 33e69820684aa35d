/** Lookup of nodes, groups, instances and networks by name or UUID. */
import { isUuid } from "@ganeti-ts/protocol";
import type { ObjectsByType, ObjectType } from "./objects.js";

/** The part of a snapshot that a lookup needs. */
export interface Lookup {
  get<T extends ObjectType>(type: T, uuid: string): ObjectsByType[T] | undefined;
  /** UUIDs of the objects under an entry of the index. */
  keysOf(...parts: readonly string[]): readonly string[];
  /** The suffixes of at most `countMax` index entries that begin with `prefix`. */
  suffixesOf(prefix: string, countMax: number): readonly string[];
}

/**
 * 1. A text in the form of a UUID is a UUID, and nothing else.
 * 2. A name, exactly; otherwise case-insensitively, if only one object matches.
 * 3. For nodes and instances, the first labels of a name, if only one name begins with them.
 *
 * O(log n).
 */
export function findUuid(now: Lookup, type: ObjectType, text: string): string | undefined {
  if (isUuid(text)) return now.get(type, text) !== undefined ? text : undefined;
  if (text === "") return undefined;
  const lower = text.toLowerCase();
  const named = now.keysOf("name", type, lower);
  const exact = named.filter((uuid) => nameOf(now, type, uuid) === text);
  if (exact[0] !== undefined) return exact[0];
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  if (type !== "node" && type !== "instance") return undefined;
  const begun = begunBy(now, type, lower);
  return begun.length === 1 ? begun[0] : undefined;
}

/** Whether `text` is the first labels of several names, so that it is ambiguous. O(log n). */
export function isAmbiguous(now: Lookup, type: "node" | "instance", text: string): boolean {
  const lower = text.toLowerCase();
  return lower !== "" && begunBy(now, type, lower).length > 1;
}

/** UUIDs of objects whose names begin with these labels; two are enough to decide. */
const begunBy = (now: Lookup, type: "node" | "instance", lower: string): readonly string[] =>
  now.suffixesOf(`name\0${type}\0${lower}.`, 2).map((rest) => rest.slice(rest.indexOf("\0") + 1));

function nameOf(now: Lookup, type: ObjectType, uuid: string): string | undefined {
  const object = now.get(type, uuid);
  return object !== undefined && "name" in object ? object.name : undefined;
}

/** The owner of a name, for uniqueness checks: names of instances may also be claimed. */
export function ownerOfName(
  now: Lookup,
  type: Exclude<ObjectType, "claim">,
  name: string,
): string | undefined {
  const lower = name.toLowerCase();
  const [owner] = now.keysOf("name", type, lower);
  return owner ?? (type === "instance" ? now.keysOf("name", "claim", lower)[0] : undefined);
}

const titles = {
  node: ["Node", "known"],
  instance: ["Instance", "known"],
  group: ["Node group", "found"],
  network: ["Network", "found"],
  disk: ["Disk", "found"],
  claim: ["Claim", "found"],
} as const satisfies Record<ObjectType, readonly [string, string]>;

/** Ganeti's message for an unknown name. */
export const notFound = (type: ObjectType, text: string): string =>
  `${titles[type][0]} '${text}' not ${titles[type][1]}`;
