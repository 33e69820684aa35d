/** Saved form of a host: what its store has, so that a change saves only the parts that it changes. */
import { changeCountOf } from "./mirror-changes.js";
import type { HostState } from "./node-state.js";

/** Place of a part in the state of its host: an entry of one of its large maps, or all the rest. */
type PartPath =
  | readonly ["rest"]
  | readonly ["drbd" | "instances", key: string]
  | readonly ["volumes", group: string, key: string];

type Entries = { [key: string]: object };

/** Number of parts of a small host that are saved before the host is saved as a whole again. */
const partsMin = 64;

/** The state of one host in the store: saved as a whole, with parts that were saved after it. */
export class SavedHost {
  #rest: string;
  /** Entries as saved, by the path of their map. */
  readonly #entries: ReadonlyMap<string, Map<string, SavedEntry>>;
  /** Names of the parts saved since the host was saved as a whole. */
  readonly #parts = new Set<string>();

  /** @param host as it has just been saved as a whole */
  constructor(host: HostState) {
    this.#rest = restText(host);
    this.#entries = new Map(
      mapsOf(host).map(({ path, entries }) => [
        path.join(" "),
        new Map(Object.entries(entries).map(([key, entry]) => [key, savedEntry(entry)])),
      ]),
    );
  }

  /**
   * Texts of the changed parts by their names; undefined if the host has to be saved as a whole, because it has other
   * volume groups or more saved parts than entries. O(entries), mostly comparisons.
   */
  changes(host: HostState): ReadonlyMap<string, string> | undefined {
    const maps = mapsOf(host);
    const isKnown = ({ path }: HostMap) => this.#entries.has(path.join(" "));
    if (maps.length !== this.#entries.size || !maps.every(isKnown)) return undefined;
    const texts = new Map<string, string>();
    const rest = restText(host);
    if (rest !== this.#rest) texts.set(partName(host, ["rest"]), rest);
    this.#rest = rest;
    let entryCount = 0;
    for (const map of maps) entryCount += this.#enterChanges(host, map, texts);
    for (const name of texts.keys()) this.#parts.add(name);
    return this.#parts.size > Math.max(partsMin, entryCount) ? undefined : texts;
  }

  /** Adds the texts of the changed entries of a map; returns the number of all. */
  #enterChanges(host: HostState, map: HostMap, texts: Map<string, string>): number {
    const { path, entries } = map;
    const saved = this.#entries.get(path.join(" ")) as Map<string, SavedEntry>;
    const enter = (key: string, text: string) =>
      texts.set(partName(host, [...path, key] as unknown as PartPath), text);
    let entryCount = 0;
    for (const key in entries) {
      entryCount++;
      const entry = entries[key] as object;
      const before = saved.get(key);
      const isIntact = before !== undefined && before.changeCount === changeCountOf(before.entry);
      if (isIntact && entry === before.entry) continue;
      if (!isIntact || !isSame(entry, before.entry)) enter(key, JSON.stringify(entry));
      saved.set(key, savedEntry(entry));
    }
    if (saved.size === entryCount) return entryCount;
    for (const key of saved.keys()) {
      if (Object.hasOwn(entries, key)) continue;
      saved.delete(key);
      enter(key, "null");
    }
    return entryCount;
  }
}

/** A large map of a host, most of whose entries a change leaves as they are. */
interface HostMap {
  readonly path: readonly string[];
  readonly entries: Entries;
}

/** An entry, and the number of its changes when it was saved. */
interface SavedEntry {
  readonly entry: object;
  readonly changeCount: number;
}

const savedEntry = (entry: object): SavedEntry => ({ entry, changeCount: changeCountOf(entry) });

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

/** Equality of plain data; an undefined property equals a missing one, as in JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one === null || other === null) return false;
  const [a, b] = [one as Entries, other as Entries];
  for (const key in a) if (!isSame(a[key], b[key])) return false;
  for (const key in b) if (b[key] !== undefined && !Object.hasOwn(a, key)) return false;
  return true;
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
  if (entries === undefined) return host;
  if (value === null) delete entries[key];
  else entries[key] = value as object;
  return host;
}

function withRest({ drbd, instances, volumeGroups }: HostState, rest: HostState): HostState {
  const groups = Object.entries(rest.volumeGroups).map(([name, group]) => [
    name,
    { ...group, volumes: volumeGroups[name]?.volumes ?? {} },
  ]);
  return { ...rest, drbd, instances, volumeGroups: Object.fromEntries(groups) };
}
