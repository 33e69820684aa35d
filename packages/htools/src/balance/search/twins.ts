/**
 * Victims whose moves all score the same, to the last bit: they need the same and leave the same
 * node, or offline nodes that nothing tells apart. Only the first of them is ever moved, so only
 * its moves are looked at; where nodes are emptied, that is a few of many.
 *
 * Only instances that have no secondary, no disk on their node and no tags that count are compared.
 */
import type { Cluster } from "../../model/cluster.js";
import type { Instance } from "../../model/instance.js";
import type { Victim } from "./victim.js";

export class Twins {
  /** By what they need and what they leave; each in index order. */
  private readonly groups = new Map<number, Victim[]>();
  /** A number for each distinct need. */
  private readonly needs = new Map<string, number>();

  /**
   * @param victims in index order
   * @param scored by node, 1 if it counts in the score
   */
  constructor(
    private readonly cluster: Cluster,
    victims: readonly Victim[],
    private readonly scored: Uint8Array,
  ) {
    for (const victim of victims) {
      if (!isComparable(victim)) continue;
      const needs = needsOf(victim.instance);
      const known = this.needs.get(needs) ?? this.needs.size;
      this.needs.set(needs, known);
      victim.needs = known;
      this.enter(victim);
    }
  }

  /** Takes over that a victim is somewhere else. Of those that are not first, nothing is known. */
  moved(victim: Victim): void {
    const { twins } = victim;
    if (twins === undefined || this.groups.get(this.keyOf(victim)) === twins) return;
    twins.splice(twins.indexOf(victim), 1);
    this.enter(victim);
  }

  private enter(victim: Victim): void {
    const key = this.keyOf(victim);
    const twins = this.groups.get(key) ?? [];
    this.groups.set(key, twins);
    victim.twins = twins;
    twins.push(victim);
    twins.sort((a, b) => a.index - b.index);
    for (let at = 1; at < twins.length; at++) (twins[at] as Victim).isKnown = false;
  }

  private keyOf({ needs, seat: { primary } }: Victim): number {
    const { nodeCount, facts } = this.cluster;
    const isPlain =
      facts.offline[primary] === 1 &&
      facts.locations[primary]?.length === 0 &&
      facts.migrationTags[primary]?.length === 0;
    const left = isPlain ? nodeCount + (this.scored[primary] as number) : primary;
    return needs * (nodeCount + 2) + left;
  }
}

function isComparable({ instance, isPair }: Victim): boolean {
  const { local, exclusionTags, desiredLocations } = instance;
  return !isPair && !local && exclusionTags.length === 0 && desiredLocations.length === 0;
}

function needsOf(instance: Instance): string {
  const { memoryMib, vcpus, countsVcpus, usesMemory, forthcoming, load } = instance;
  const loads = [load.cpu, load.memory, load.disk, load.network];
  return [memoryMib, usesMemory, countsVcpus ? vcpus : 0, forthcoming, ...loads].join(" ");
}
