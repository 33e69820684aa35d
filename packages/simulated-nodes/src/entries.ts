/** Entries of a host's large maps, changed here alone, so that a save finds what has changed. */

/** A map of a host, by name or minor. */
export interface Entries<Entry extends object = object> {
  readonly [key: string]: Entry;
}

/** Keys changed since the latest call of `followChanges`, by map. */
const followed = new WeakMap<Entries, Set<string>>();

/** Where an entry of a followed map is. */
const places = new WeakMap<object, { readonly entries: Entries; readonly key: string }>();

/** Number of entries set so far, by map; only of maps that `settingsOf` has been called for. */
const settings = new WeakMap<Entries, { count: number }>();

/** Increases with each entry that is set; entries changed in place do not count. O(1). */
export function settingsOf(entries: Entries): number {
  const known = settings.get(entries);
  if (known !== undefined) return known.count;
  settings.set(entries, { count: 0 });
  return 0;
}

/** Adds, replaces or, with undefined, removes an entry. */
export function setEntry<Entry extends object>(
  entries: Entries<Entry>,
  key: string,
  entry: Entry | undefined,
): void {
  const setting = settings.get(entries);
  if (setting !== undefined) setting.count++;
  const keys = followed.get(entries);
  if (keys !== undefined) {
    keys.add(key);
    if (entry !== undefined) places.set(entry, { entries, key });
  }
  const changeable = entries as { [key: string]: Entry };
  if (entry === undefined) delete changeable[key];
  else changeable[key] = entry;
}

/** To be called for an entry that has been changed in place. */
export function noteChange(entry: object): void {
  const place = places.get(entry);
  if (place !== undefined) followed.get(place.entries)?.add(place.key);
}

/** From now on collects changed keys in the set that it returns; an earlier follower gets none any more. O(entries). */
export function followChanges(entries: Entries): Set<string> {
  const keys = new Set<string>();
  followed.set(entries, keys);
  for (const key of Object.keys(entries)) places.set(entries[key] as object, { entries, key });
  return keys;
}
