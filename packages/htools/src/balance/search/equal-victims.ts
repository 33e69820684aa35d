/**
 * Groups of victims whose moves all score the same, to the last bit: their needs are equal, and they leave the
 * same node, or offline nodes with equal properties. Balancing only ever moves the first of a group, so only its
 * moves are examined; when nodes are emptied, this skips most victims.
 *
 * Only instances that have no secondary, no disk on their node and no tags that count are compared.
 */
import type { Cluster } from "../../model/cluster.js";
import type { Instance } from "../../model/instance.js";
import type { Victim } from "./victim.js";

export class EqualVictims {
  /** By needs and nodes to leave; each in index order. */
  private readonly groups = new Map<number, Victim[]>();
  /** Number of each distinct need. */
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

  /** Updates the groups after a victim has moved. Victims that are not first have no valid bounds. */
  moved(victim: Victim): void {
    const { equalVictims } = victim;
    if (equalVictims === undefined || this.groups.get(this.keyOf(victim)) === equalVictims) return;
    equalVictims.splice(equalVictims.indexOf(victim), 1);
    this.enter(victim);
  }

  private enter(victim: Victim): void {
    const key = this.keyOf(victim);
    const equalVictims = this.groups.get(key) ?? [];
    this.groups.set(key, equalVictims);
    victim.equalVictims = equalVictims;
    equalVictims.push(victim);
    equalVictims.sort((a, b) => a.index - b.index);
    for (let at = 1; at < equalVictims.length; at++) (equalVictims[at] as Victim).isKnown = false;
  }

  private keyOf({ needs, placement: { primary } }: Victim): number {
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
