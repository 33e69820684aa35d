/** Tag rules: the meaning that `htools:` tags of a cluster give to tags of its nodes and instances. */

const exclusionPrefix = "htools:iextags:";
const desiredLocationPrefix = "htools:desiredlocation:";
const locationPrefix = "htools:nlocation:";
const migrationPrefix = "htools:migration:";
const allowedMigrationPrefix = "htools:allowmigration:";

const none: readonly string[] = [];

/** Whether a cluster tag can be a rule. */
export const isTagRule = (clusterTag: string): boolean => clusterTag.startsWith("htools:");

export class TagRules {
  private readonly exclusions: readonly string[];
  private readonly desired: readonly string[];
  private readonly locationPrefixes: readonly string[];
  private readonly migrations: readonly string[];
  /**
   * From migration tag B to all A with an `A::B` tag: nodes with B can receive instances from nodes with A.
   */
  private readonly allowed = new Map<string, string[]>();

  /** @param exclusionPrefixes prefixes of exclusion tags, in addition to those of the cluster's tags */
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
   * The exclusion tags of an instance, in their order, with repeats. The prefix is taken literally: `svc`
   * also matches `svcx`.
   */
  exclusionTags(instanceTags: readonly string[]): readonly string[] {
    return beginningWith(this.exclusions, instanceTags);
  }

  /** Locations an instance desires for its primary, each once. */
  desiredLocations(instanceTags: readonly string[]): readonly string[] {
    return this.desired.length === 0 ? none : unique(beginningWith(this.desired, instanceTags));
  }

  /** Locations of a node: tags shared by nodes that fail together, each once. */
  locations(nodeTags: readonly string[]): readonly string[] {
    return unique(beginningWith(this.locationPrefixes, nodeTags));
  }

  /** Migration tags of a node; a migration target must accept all of them. */
  migrationTags(nodeTags: readonly string[]): readonly string[] {
    return unique(beginningWith(this.migrations, nodeTags));
  }

  /** Migration tags of the nodes from which a node with these migration tags can receive instances. */
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
