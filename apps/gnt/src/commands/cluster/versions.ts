/** Versions of Ganeti, and the possible upgrades between them. Source: Ganeti, utils/version.py. */

export type Version = readonly [major: number, minor: number, revision: number];

/** `3.0.2`, `3.0`, also with a package revision: `3.0.2-3`. Undefined for other texts. */
export function versionOf(text: string): Version | undefined {
  const found = /^(\d+)\.(\d+)(?:\.(\d+))?(?:$|[~+-])/.exec(text);
  if (found === null) return undefined;
  const [, major, minor, revision = "0"] = found;
  return [Number(major), Number(minor), Number(revision)];
}

/** Undefined if the upgrade is possible; the reason is in Ganeti's words. */
export function whyNotUpgraded(to: Version, from: Version): string | undefined {
  if (isBefore(to, first) || isBefore(from, first)) {
    return "automatic upgrades only supported from 2.10 onwards";
  }
  if (to[0] !== from[0]) {
    const between = [branch(from), branch(to)].sort().join(" ");
    if (between === "2.16 3.0") return undefined;
    return "major version up- or downgrades are only supported between 2.16 and 3.0";
  }
  return to[1] < from[1] - 1 ? "can only downgrade one minor version at a time" : undefined;
}

const first: Version = [2, 10, 0];

const isBefore = (a: Version, b: Version): boolean => (a[0] !== b[0] ? a[0] < b[0] : a[1] < b[1]);

const branch = ([major, minor]: Version): string => `${major}.${minor}`;
