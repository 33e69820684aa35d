/** Choice of the group for an instance: allowed groups, candidate nodes, and the winner. */
import { allocationPolicies, type GroupData, type NodeData } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { naturalSort } from "../model/natural-sort.js";
import { type Allocated, comparePlaces, type Solution, solutionText } from "./allocation.js";
import { failure, type Result, success } from "./request-options.js";

/** One node for each copy; a pair needs two candidates of one group. */
export type Candidates =
  | { readonly copies: 1; readonly nodes: readonly number[] }
  | { readonly copies: 2; readonly nodes: readonly number[] };

export function candidatesIn(
  cluster: Cluster,
  group: number,
  requiredNodes: number,
  restrictTo: readonly string[] | undefined,
): Result<Candidates> {
  if (requiredNodes !== 1 && requiredNodes !== 2) {
    return failure("Unsupported number of nodes, only one or two  supported");
  }
  const { data, facts } = cluster;
  const allowed = restrictTo === undefined ? undefined : new Set(restrictTo);
  const nodes = (cluster.nodesByGroup[group] as readonly number[]).filter((node) => {
    if (facts.offline[node] === 1) return false;
    return allowed === undefined || allowed.has((data.nodes[node] as NodeData).name);
  });
  if (requiredNodes === 2) {
    return nodes.length < 2 ? failure("Not enough online nodes") : success({ copies: 2, nodes });
  }
  return nodes.length < 1 ? failure("No online nodes") : success({ copies: 1, nodes });
}

export const groupAt = ({ data }: Cluster, group: number): GroupData =>
  data.groups[group] as GroupData;

/** Finds a group by name or UUID; exactly one must match. */
export function findGroup({ data }: Cluster, name: string): Result<number> {
  const found = data.groups.flatMap((group, index) =>
    group.name === name || group.uuid === name ? [index] : [],
  );
  const [only] = found;
  return found.length === 1 && only !== undefined
    ? success(only)
    : failure(`Wrong number of elems found with name ${name}`);
}

export const hasNetworksFor = (group: GroupData, { data }: Instance): boolean =>
  data.networks.every((network) => network === null || group.networks.includes(network));

export const networkRefusal = (group: GroupData, { data }: Instance): string =>
  `group ${group.name} is not connected to a network required by instance ${data.name}`;

function groupText<Score>(
  cluster: Cluster,
  group: number,
  result: Result<Solution<Score>>,
  scoreText: (score: Score) => string,
): string {
  const { name, allocationPolicy } = groupAt(cluster, group);
  if (!result.ok) return `Group ${name}: error ${result.reason}`;
  return `Group ${name} (${allocationPolicy}): ${solutionText(cluster, result.value, scoreText)}`;
}

/** Searches the group of this name or UUID alone; it may be unallocable. */
export function inNamedGroup<Score>(
  cluster: Cluster,
  name: string,
  search: (group: number) => Result<Solution<Score>>,
  scoreText: (score: Score) => string,
): Result<Allocated<Score> & { readonly solution: Solution<Score> }> {
  const found = findGroup(cluster, name);
  if (!found.ok) return found;
  const group = found.value;
  const result = search(group);
  if (!result.ok) return result;
  const texts = [groupText(cluster, group, result, scoreText)];
  return success({ group, place: result.value.place, texts, solution: result.value });
}

/**
 * Describes the result of every group, and selects the best. Without a winner, the descriptions form the
 * refusal.
 * @param dropped descriptions of groups that were not tried
 */
export function selectGroup<Score>(
  cluster: Cluster,
  results: readonly { readonly group: number; readonly result: Result<Solution<Score>> }[],
  dropped: readonly string[],
  scoreText: (score: Score) => string,
  compare: (a: Score, b: Score) => number,
): Result<Allocated<Score>> {
  const described = results.map(({ group, result }) =>
    groupText(cluster, group, result, scoreText),
  );
  const texts = [...dropped, ...described];
  const best = bestGroup(cluster, results, compare);
  if (best === undefined) return failure(texts.join(", "));
  const selected = `Selected group: ${groupAt(cluster, best.group).name}`;
  return success({ group: best.group, place: best.solution.place, texts: [selected, ...texts] });
}

/**
 * The group whose solution is best: by allocation policy, then score; among equals the last. Groups without a
 * solution and unallocable ones never win.
 */
function bestGroup<Score>(
  cluster: Cluster,
  results: readonly { readonly group: number; readonly result: Result<Solution<Score>> }[],
  compare: (a: Score, b: Score) => number,
): { readonly group: number; readonly solution: Solution<Score> } | undefined {
  const eligible = results.flatMap(({ group, result }) => {
    const { allocationPolicy } = groupAt(cluster, group);
    if (!result.ok || result.value.place === undefined) return [];
    if (allocationPolicy === "unallocable") return [];
    const rank = allocationPolicies.indexOf(allocationPolicy);
    return [{ group, rank, place: result.value.place, solution: result.value }];
  });
  const newestFirst = eligible.reverse();
  const greater = (a: (typeof eligible)[number], b: (typeof eligible)[number]) =>
    (a.rank - b.rank || comparePlaces(a.place, b.place, compare)) > 0;
  return naturalSort(newestFirst, greater)[0];
}
