/** How a request's names of instances, nodes and groups find the things they mean. */
/** The names to which one thing answers: its full name, and perhaps one more. */
export type NamesAt = (index: number) => readonly [string, string];

/**
 * The indices of the things that `wanted` names, in that order; -1 for a name that means none of
 * the `count` things, or several.
 */
export function indicesNamed(wanted: readonly string[], count: number, namesAt: NamesAt): number[] {
  if (wanted.length === 0) return [];
  // One walk over all things, however many names are looked for. -1: none yet; -2: several.
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

/** Nodes and instances answer to their names without what all those names end in, too. */
export function aliasesOf(
  nodeNames: readonly string[],
  instanceNames: readonly string[],
): (name: string) => string {
  const suffix = commonSuffix([...nodeNames, ...instanceNames]);
  return suffix === "" ? (name) => name : (name) => name.slice(0, -suffix.length);
}

/**
 * What all names end in: the longest end of the first name that begins with a dot and ends all
 * others too; empty if there is none.
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
