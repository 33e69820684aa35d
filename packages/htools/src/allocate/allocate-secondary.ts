/**
 * Answer to the request `allocate-secondary`: a secondary for an instance without a mirror, which becomes a
 * mirrored one.
 */
import { removePrimary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import { makeInstance } from "../model/instance.js";
import { keepingMargins } from "../n1/emptying-margins.js";
import { makeSearch } from "./allocate.js";
import { placeNames, scoreText, solutionText } from "./allocation.js";
import { settlePlace } from "./order.js";
import { searchPairs } from "./pair-search.js";
import {
  type Done,
  failure,
  type RequestOptions,
  type Result,
  success,
} from "./request-options.js";

/**
 * The instance stays on its primary; only the secondary is chosen.
 * @param cluster is changed
 */
export function allocateSecondary(
  cluster: Cluster,
  index: number,
  options: RequestOptions,
): Result<Done> {
  const known = cluster.instanceAt(index);
  const primary = cluster.primaryOf[index] as number;
  if ((cluster.secondaryOf[index] as number) >= 0) {
    return failure("Instance already has a secondary");
  }
  const data = { ...known.data, diskTemplate: "drbd" as const };
  const instance = makeInstance(data, index, cluster.tagRules, known.load);
  keepingMargins(cluster, () => {
    removePrimary(cluster, known, index, primary, cluster.locationScoreOf[index] as number);
    cluster.settle();
    return [primary];
  });
  const everyNode = cluster.data.nodes.map((_, node) => node);
  const order = { instance, requiredNodes: 2, locationScore: 0 };
  const search = makeSearch(cluster, order, everyNode, cluster.instanceCount, options);
  const group = cluster.nodesByGroup[cluster.facts.groupOf[primary] as number] as readonly number[];
  const solution = searchPairs(
    search,
    [primary],
    group.filter((node) => node !== primary),
  );
  const info = solutionText(cluster, solution, scoreText);
  const { place } = solution;
  if (place === undefined) return failure(info);
  settlePlace(cluster, instance, index, place);
  cluster.instances[index] = instance;
  cluster.relocateEntry(index, place.primary, place.secondary, place.locationScore);
  return success({ info, result: placeNames(cluster, place)[1], after: cluster });
}
