/** Saved form of a host: what its store has, so that a change saves only the parts that it changes. */
import { type Entries, followChanges, setEntry } from "./entries.js";
import type { HostState } from "./node-state.js";

/** Place of a part in the state of its host: an entry of one of its large maps, or all the rest. */
type PartPath =
  | readonly ["rest"]
  | readonly ["drbd" | "instances", key: string]
  | readonly ["volumes", group: string, key: string];

/** Number of parts of a small host that are saved before the host is saved as a whole again. */
const partsMin = 64;

/** The state of one host in the store: saved as a whole, with parts that were saved after it. */
export class SavedHost {
  #rest: string;
  /** The maps as saved, in the order of `mapsOf`. */
  readonly #maps: readonly SavedMap[];
  /** Names of the parts saved since the host was saved as a whole. */
  readonly #parts = new Set<string>();

  /** @param host as it has just been saved as a whole */
  constructor(host: HostState) {
    this.#rest = restText(host);
    this.#maps = mapsOf(host).map(({ path, entries }) => ({
      ...{ group: path[1], of: entries },
      ...{ keys: new Set(Object.keys(entries)), changed: followChanges(entries) },
    }));
  }

  /**
   * Texts of the changed parts by their names; undefined if the host has to be saved as a whole, because it has other
   * maps or more saved parts than entries. O(changed entries).
   */
  changes(host: HostState): ReadonlyMap<string, string> | undefined {
    const maps = mapsOf(host);
    const isKnown = ({ path, entries }: HostMap, at: number) =>
      this.#maps[at]?.of === entries && this.#maps[at].group === path[1];
    if (maps.length !== this.#maps.length || !maps.every(isKnown)) return undefined;
    const texts = new Map<string, string>();
    const rest = restText(host);
    if (rest !== this.#rest) texts.set(partName(host, ["rest"]), rest);
    this.#rest = rest;
    let entryCount = 0;
    for (const [at, saved] of this.#maps.entries()) {
      entryCount += enterChanges(host, maps[at] as HostMap, saved, texts);
    }
    for (const name of texts.keys()) this.#parts.add(name);
    return this.#parts.size > Math.max(partsMin, entryCount) ? undefined : texts;
  }
}

/** Adds the texts of the changed entries of a map; returns the number of all. */
function enterChanges(
  host: HostState,
  { path, entries }: HostMap,
  { keys, changed }: SavedMap,
  texts: Map<string, string>,
): number {
  // Clearing an empty set costs a new table.
  if (changed.size === 0) return keys.size;
  for (const key of changed) {
    const entry = entries[key];
    const wasSaved = entry === undefined ? keys.delete(key) : keys.add(key);
    if (!wasSaved) continue;
    const name = partName(host, [...path, key] as unknown as PartPath);
    texts.set(name, JSON.stringify(entry ?? null));
  }
  changed.clear();
  return keys.size;
}

/** A large map of a host, most of whose entries a change leaves as they are. */
interface HostMap {
  readonly path: readonly string[];
  readonly entries: Entries;
}

interface SavedMap {
  /** Name of the volume group whose map it is, if it is one. */
  readonly group: string | undefined;
  readonly of: Entries;
  /** Keys of the entries that the store has. */
  readonly keys: Set<string>;
  /** Keys of entries changed since the save. */
  readonly changed: Set<string>;
}

const mapsOf = ({ drbd, instances, volumeGroups }: HostState): readonly HostMap[] => [
  { path: ["drbd"], entries: drbd },
  { path: ["instances"], entries: instances },
  ...Object.entries(volumeGroups).map(([group, { volumes }]) => ({
    path: ["volumes", group],
    entries: volumes,
  })),
];

function restText(host: HostState): string {
  const volumeGroups = Object.fromEntries(
    Object.entries(host.volumeGroups).map(([name, group]) => [name, { ...group, volumes: {} }]),
  );
  return JSON.stringify({ ...host, drbd: {}, instances: {}, volumeGroups });
}

/** Name under which a part is saved: that of its host, a blank, and the path as JSON. */
const partName = ({ name }: HostState, path: PartPath): string => `${name} ${JSON.stringify(path)}`;

/** Host of a saved text, and the path of a part as JSON; without a path it is the host as a whole. */
export function hostOfName(name: string): { readonly host: string; readonly path?: string } {
  const blank = name.indexOf(" ");
  if (blank < 0) return { host: name };
  return { host: name.slice(0, blank), path: name.slice(blank + 1) };
}

/** The host with a part as it was saved after it; may change the given one. */
export function withPart(host: HostState, path: PartPath, text: string): HostState {
  const value: unknown = JSON.parse(text);
  if (path[0] === "rest") return withRest(host, value as HostState);
  const entries: Entries | undefined =
    path[0] === "volumes" ? host.volumeGroups[path[1]]?.volumes : host[path[0]];
  const key = path[path.length - 1] as string;
  if (entries !== undefined) setEntry(entries, key, (value ?? undefined) as object | undefined);
  return host;
}

function withRest({ drbd, instances, volumeGroups }: HostState, rest: HostState): HostState {
  const groups = Object.entries(rest.volumeGroups).map(([name, group]) => [
    name,
    { ...group, volumes: volumeGroups[name]?.volumes ?? {} },
  ]);
  return { ...rest, drbd, instances, volumeGroups: Object.fromEntries(groups) };
}
