/** Resolution of a request's names of instances, nodes and groups. */
/** The names of one object: its full name, and possibly an alias. */
export type NamesAt = (index: number) => readonly [string, string];

/**
 * The indices of the objects named by `wanted`, in that order; -1 for a name that matches none of the `count`
 * objects, or several.
 */
export function indicesNamed(wanted: readonly string[], count: number, namesAt: NamesAt): number[] {
  if (wanted.length === 0) return [];
  // One pass over all objects, however many names are wanted. -1: none yet; -2: several.
  const found = new Map(wanted.map((name) => [name, -1]));
  const meet = (name: string, index: number): void => {
    const before = found.get(name);
    if (before !== undefined) found.set(name, before === -1 ? index : -2);
  };
  for (let index = 0; index < count; index++) {
    const [name, other] = namesAt(index);
    meet(name, index);
    if (other !== name) meet(other, index);
  }
  return wanted.map((name) => Math.max(found.get(name) ?? -1, -1));
}

/** Aliases of nodes and instances: their names without the suffix common to all of them. */
export function aliasesOf(
  nodeNames: readonly string[],
  instanceNames: readonly string[],
): (name: string) => string {
  const suffix = commonSuffix([...nodeNames, ...instanceNames]);
  return suffix === "" ? (name) => name : (name) => name.slice(0, -suffix.length);
}

/**
 * Suffix common to all names: the longest suffix of the first name that begins with a dot and that all others
 * end with; empty if there is none.
 */
export function commonSuffix(names: readonly string[]): string {
  const [first = ""] = names;
  let length = first.length;
  for (const name of names) {
    let same = 0;
    while (
      same < length &&
      same < name.length &&
      first[first.length - 1 - same] === name[name.length - 1 - same]
    ) {
      same++;
    }
    length = same;
    if (length === 0) return "";
  }
  const dot = first.indexOf(".", first.length - length);
  return dot < 0 ? "" : first.slice(dot);
}
