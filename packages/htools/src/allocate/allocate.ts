/** Allocation of one instance: in the requested group, or in the best of all groups. */

import type { Cluster } from "../model/cluster.js";
import { CapacityCheck } from "../n1/capacity-check.js";
import { KeptScores, keptScoresOf } from "../score/kept-scores.js";
import { ScoreBoard } from "../score/score-board.js";
import { type Allocated, type Search, type Solution, scoreText } from "./allocation.js";
import { allocateDedicatedAnywhere, allocateDedicatedInGroup } from "./dedicated.js";
import {
  candidatesIn,
  groupAt,
  hasNetworksFor,
  inNamedGroup,
  networkRefusal,
  selectGroup,
} from "./group-choice.js";
import type { Order } from "./order.js";
import { searchPairs } from "./pair-search.js";
import { failure, type RequestOptions, type Result, success } from "./request-options.js";
import { searchSingle } from "./single-search.js";

/**
 * Every group with nodes is tried and described; the best allocable one wins.
 * @param allowed only these groups; undefined: all
 */
export function allocateAnywhere(
  cluster: Cluster,
  order: Order,
  options: RequestOptions,
  allowed?: readonly number[],
): Result<Allocated> {
  const { instance } = order;
  const nonEmpty = cluster.nodesByGroup.flatMap((nodes, group) =>
    nodes.length > 0 ? [group] : [],
  );
  const groups = allowed ? nonEmpty.filter((group) => allowed.includes(group)) : nonEmpty;
  const connected = groups.filter((group) => hasNetworksFor(groupAt(cluster, group), instance));
  const unconnected = groups
    .filter((group) => !connected.includes(group))
    .map((group) => networkRefusal(groupAt(cluster, group), instance));
  const results = resultsByGroup(cluster, order, connected, options);
  return selectGroup(cluster, results, unconnected, scoreText, (a, b) =>
    a < b ? -1 : a === b ? 0 : 1,
  );
}

/** Result for each of these groups, with all nodes scored and examined. */
export function resultsByGroup(
  cluster: Cluster,
  order: Order,
  groups: readonly number[],
  options: RequestOptions,
): readonly { readonly group: number; readonly result: Result<Solution> }[] {
  const everyNode = cluster.data.nodes.map((_, node) => node);
  const search = makeSearch(cluster, order, everyNode, cluster.instanceCount, options);
  let board: ScoreBoard | undefined;
  const boardOf = () => {
    board ??= new ScoreBoard(cluster, everyNode);
    return board;
  };
  return groups.map((group) => ({
    group,
    result: searchGroup(search, group, order, { boardOf, ...options }),
  }));
}

/** Only this group's nodes are scored and examined; it may be unallocable. */
const allocateInGroup = (
  cluster: Cluster,
  order: Order,
  groupName: string,
  options: RequestOptions,
) =>
  inNamedGroup(
    cluster,
    groupName,
    (group) => {
      const { instance } = order;
      if (!hasNetworksFor(groupAt(cluster, group), instance)) {
        return failure(`The ${networkRefusal(groupAt(cluster, group), instance)}`);
      }
      const nodes = cluster.nodesByGroup[group] as readonly number[];
      const search = makeSearch(cluster, order, nodes, instancesIn(cluster, group), options);
      return searchGroup(search, group, order, options);
    },
    scoreText,
  );

/** Where an instance may go, and whether places are compared by the allocations that are lost. */
export interface Where {
  /** Name or UUID of the only group; undefined: the best one. */
  readonly groupName: string | undefined;
  readonly dedicated: boolean;
  /** Only these groups, if none is named; undefined: all. */
  readonly allowed?: readonly number[] | undefined;
}

/** Finds a place for one instance. */
export function allocate(
  cluster: Cluster,
  order: Order,
  { groupName, dedicated, allowed }: Where,
  options: RequestOptions,
): Result<Allocated<unknown> & { readonly solution?: Solution<unknown> }> {
  if (groupName !== undefined) {
    const inGroup = dedicated ? allocateDedicatedInGroup : allocateInGroup;
    return inGroup(cluster, order, groupName, options);
  }
  const anywhere = dedicated ? allocateDedicatedAnywhere : allocateAnywhere;
  return anywhere(cluster, order, options, allowed);
}

/** Number of instances whose primary is in the group. O(instances). */
function instancesIn({ primaryOf, facts: { groupOf } }: Cluster, group: number): number {
  let count = 0;
  for (let index = 0; index < primaryOf.length; index++) {
    if (groupOf[primaryOf[index] as number] === group) count++;
  }
  return count;
}

/** With fewer nodes than this, trying all of them is faster than making score columns. */
const columnsMin = 50;

const newScores = (cluster: Cluster, { length }: readonly number[]): KeptScores | undefined =>
  length < columnsMin ? undefined : new KeptScores(cluster);

/** @param nextIndex index that a new instance gets in the cluster under examination */
export function makeSearch(
  cluster: Cluster,
  { instance }: Order,
  nodes: readonly number[],
  nextIndex: number,
  options: RequestOptions,
): Search {
  const isKnown = instance.index >= 0;
  const index = isKnown ? instance.index : nextIndex;
  const listed = isKnown ? cluster.instanceAt(index) : instance;
  return {
    cluster,
    instance,
    index,
    scored: nodes,
    ignoreSoftErrors: options.ignoreSoftErrors,
    capacity: options.capacityChecks
      ? new CapacityCheck(cluster, nodes, { instance, index: nextIndex, listed })
      : undefined,
    scores: keptScoresOf(cluster) ?? newScores(cluster, nodes),
  };
}

interface GroupOptions extends Pick<RequestOptions, "restrictTo"> {
  /** The board that all groups share: the nodes of all of them are scored. */
  readonly boardOf?: () => ScoreBoard;
}

function searchGroup(
  search: Search,
  group: number,
  { requiredNodes, locationScore }: Order,
  { restrictTo, boardOf }: GroupOptions,
): Result<Solution> {
  const candidates = candidatesIn(search.cluster, group, requiredNodes, restrictTo);
  if (!candidates.ok) return candidates;
  const { copies, nodes } = candidates.value;
  return success(
    copies === 1
      ? searchSingle(search, nodes, locationScore, boardOf)
      : searchPairs(search, nodes, nodes, boardOf),
  );
}
