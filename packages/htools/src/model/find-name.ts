/** Lookup of names that may be abbreviated by omitting the domain. */

/**
 * The name that equals `key`, else the only one that begins with `key` and a dot; undefined if there
 * is none, or more than one. Source: Ganeti, BasicTypes.hs, `lookupName`.
 */
export function findName(names: readonly string[], key: string): string | undefined {
  if (names.includes(key)) return key;
  const beginning = names.filter((name) => name.startsWith(`${key}.`));
  return beginning.length === 1 ? beginning[0] : undefined;
}
