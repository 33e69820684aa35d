/** Score columns that a kept cluster hands from version to version, with the effects of instances that are placed. */
import type { Cluster } from "../model/cluster.js";
import { EffectsByShape, KeptEffects, SingleEffects } from "./kept-effects.js";
import { ScoreColumns } from "./score-columns.js";

/** Columns for one list of nodes, and the effects of instances that were placed on them. */
export interface KeptBoard {
  readonly columns: ScoreColumns;
  readonly pairs: EffectsByShape<KeptEffects>;
  readonly singles: EffectsByShape<SingleEffects>;
}

/**
 * One board for the whole cluster and one for each group whose nodes were scored alone, made when they are first
 * needed: O(nodes x components). They belong to the latest version only, because they are changed in place.
 */
export class KeptScores {
  private readonly boards = new Map<string, KeptBoard>();
  private located: boolean | undefined;

  /** By node, as of the last version: facts are changed in place. */
  private readonly offline: Uint8Array;

  constructor(private cluster: Cluster) {
    this.offline = cluster.facts.offline.slice();
  }

  /** Whether any node has a location. */
  get hasLocations(): boolean {
    this.located ??= this.cluster.facts.locations.some((tags) => tags.length > 0);
    return this.located;
  }

  /** The board of the whole cluster, or of one group; undefined for other lists of nodes. */
  boardOf(scored: readonly number[]): KeptBoard | undefined {
    const { nodesByGroup, nodeCount } = this.cluster;
    const group = nodesByGroup.indexOf(scored);
    if (group < 0 && scored.length !== nodeCount) return undefined;
    const key = group < 0 || scored.length === nodeCount ? "all" : String(group);
    const known = this.boards.get(key);
    if (known !== undefined) return known;
    const columns = new ScoreColumns(this.cluster, scored);
    const pairs = new EffectsByShape(() => new KeptEffects(columns.count));
    const singles = new EffectsByShape(() => new SingleEffects(columns.count));
    const board = { columns, pairs, singles };
    this.boards.set(key, board);
    return board;
  }

  /**
   * Makes this the scores of a later version, in which only these nodes differ. O(components + kept shapes) for each,
   * and for boards of nodes that went offline or came back, a new board when it is next needed.
   */
  follow(cluster: Cluster, nodes: ReadonlySet<number>): void {
    const { offline, locations } = cluster.facts;
    let switched = false;
    for (const node of nodes) {
      // (without any location before, only these nodes may have one)
      if ((locations[node] as readonly string[]).length > 0) this.located = undefined;
      switched ||= this.offline[node] !== offline[node];
      this.offline[node] = offline[node] as number;
    }
    this.cluster = cluster;
    if (this.located === true) this.located = undefined;
    if (switched) this.boards.clear();
    for (const { columns, pairs, singles } of this.boards.values()) {
      columns.follow(cluster, nodes);
      for (const node of nodes) {
        const place = columns.placeOfNode(node);
        if (place < 0) continue;
        pairs.touch(place);
        singles.touch(place);
      }
    }
  }
}

/** By the cluster: the latest version of a kept one, or one that takes a series of instances. Copies have none. */
const scoresByCluster = new WeakMap<Cluster, KeptScores>();

export const keptScoresOf = (cluster: Cluster): KeptScores | undefined =>
  scoresByCluster.get(cluster);

export function keepScores(cluster: Cluster): void {
  scoresByCluster.set(cluster, new KeptScores(cluster));
}

/**
 * Hands the scores of one version to the next, in which only these nodes differ; undefined: all may, and new scores
 * are kept.
 */
export function handScores(
  before: Cluster,
  after: Cluster,
  nodes: ReadonlySet<number> | undefined,
): void {
  const scores = scoresByCluster.get(before);
  scoresByCluster.delete(before);
  if (scores === undefined || nodes === undefined) {
    keepScores(after);
    return;
  }
  scores.follow(after, nodes);
  scoresByCluster.set(after, scores);
}

/** Brings the scores up to date after changes of these nodes in place, if the cluster has any; -1 is no node. */
export function followScores(cluster: Cluster, nodes: readonly number[]): void {
  scoresByCluster.get(cluster)?.follow(cluster, new Set(nodes.filter((node) => node >= 0)));
}
