/** What the `htools:` tags of a cluster make of the tags of its nodes and instances. */

const exclusionPrefix = "htools:iextags:";
const desiredLocationPrefix = "htools:desiredlocation:";
const locationPrefix = "htools:nlocation:";
const migrationPrefix = "htools:migration:";
const allowedMigrationPrefix = "htools:allowmigration:";

const none: readonly string[] = [];

/** Whether a cluster's tag may make a difference: no others do. */
export const isTagRule = (clusterTag: string): boolean => clusterTag.startsWith("htools:");

export class TagRules {
  private readonly exclusions: readonly string[];
  private readonly desired: readonly string[];
  private readonly locationPrefixes: readonly string[];
  private readonly migrations: readonly string[];
  /** From migration tag B to all A with an `A::B` tag: a node of B receives from A. */
  private readonly allowed = new Map<string, string[]>();

  /** @param exclusionPrefixes further prefixes of exclusion tags, beside those of the cluster's tags */
  constructor(clusterTags: readonly string[], exclusionPrefixes: readonly string[] = []) {
    const rests = (prefix: string) =>
      clusterTags.filter((tag) => tag.startsWith(prefix)).map((tag) => tag.slice(prefix.length));
    this.exclusions = [
      ...exclusionPrefixes,
      ...rests(exclusionPrefix).filter((prefix) => prefix !== ""),
    ];
    this.desired = rests(desiredLocationPrefix).filter((prefix) => prefix !== "");
    this.locationPrefixes = rests(locationPrefix).map((prefix) => `${prefix}:`);
    this.migrations = rests(migrationPrefix).map((prefix) => `${prefix}:`);
    for (const rule of rests(allowedMigrationPrefix)) {
      const [from, to, ...more] = rule.split("::");
      if (from === undefined || to === undefined || more.length > 0) continue;
      this.allowed.set(to, [...(this.allowed.get(to) ?? []), from]);
    }
  }

  /**
   * The tags of an instance that keep it apart from its like, in their order, repeats kept.
   * The prefix is taken as it stands: `svc` also catches `svcx`.
   */
  exclusionTags(instanceTags: readonly string[]): readonly string[] {
    return beginningWith(this.exclusions, instanceTags);
  }

  /** Locations an instance would like its primary to have, each once. */
  desiredLocations(instanceTags: readonly string[]): readonly string[] {
    return this.desired.length === 0 ? none : unique(beginningWith(this.desired, instanceTags));
  }

  /** What a node shares with those that fail together with it, each once. */
  locations(nodeTags: readonly string[]): readonly string[] {
    return unique(beginningWith(this.locationPrefixes, nodeTags));
  }

  /** What a node's instances need of a node they are to migrate to. */
  migrationTags(nodeTags: readonly string[]): readonly string[] {
    return unique(beginningWith(this.migrations, nodeTags));
  }

  /** What a node with these migration tags can receive instances from. */
  receivableTags(migrationTags: readonly string[]): readonly string[] {
    if (migrationTags.length === 0) return none;
    return unique([
      ...migrationTags,
      ...migrationTags.flatMap((tag) => this.allowed.get(tag) ?? none),
    ]);
  }
}

function beginningWith(prefixes: readonly string[], tags: readonly string[]): readonly string[] {
  if (prefixes.length === 0 || tags.length === 0) return none;
  const found = tags.filter((tag) => prefixes.some((prefix) => tag.startsWith(prefix)));
  return found.length === 0 ? none : found;
}

const unique = (tags: readonly string[]): readonly string[] =>
  tags.length < 2 ? tags : [...new Set(tags)];
