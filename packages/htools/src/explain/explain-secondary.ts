/** Explanation of `allocate-secondary`: an instance without a mirror gets a secondary on the best node. */
import { makeSearch } from "../allocate/allocate.js";
import { groupAt } from "../allocate/group-choice.js";
import { searchPairs } from "../allocate/pair-search.js";
import type { RequestOptions } from "../allocate/request-options.js";
import { placementOf } from "../fit/move.js";
import { removePrimary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import { type Instance, makeInstance } from "../model/instance.js";
import { explainChoice, placeNames } from "./explain-choice.js";
import { unexplained } from "./explain-evacuation.js";
import { examinePairs } from "./pair-candidates.js";
import type { Explained } from "./suggest.js";

/** Modifies the given cluster. */
export function explainSecondary(
  cluster: Cluster,
  index: number,
  options: RequestOptions,
  listMax: number,
): Explained {
  const known = cluster.instances[index] as Instance;
  const placement = placementOf(cluster, index);
  const base = unexplained(cluster, known, placement);
  if (placement.secondary >= 0) return { ...base, reason: "it already has a secondary" };
  const data = { ...known.data, diskTemplate: "drbd" as const };
  const instance = makeInstance(data, index, cluster.tagRules, known.load);
  removePrimary(cluster, known, index, placement.primary, placement.locationScore);
  cluster.settle();
  const everyNode = cluster.data.nodes.map((_, node) => node);
  const order = { instance, requiredNodes: 2, locationScore: 0 };
  const newcomer = { instance, index: cluster.instanceCount };
  const search = makeSearch(cluster, order, everyNode, newcomer.index, options);
  const group = cluster.facts.groupOf[placement.primary] as number;
  const others = (cluster.nodesByGroup[group] as readonly number[]).filter(
    (node) => node !== placement.primary,
  );
  const { place: winner } = searchPairs(search, [placement.primary], others);
  const examined = examinePairs({ ...search, newcomer, listMax }, [placement.primary], others);
  const choice = winner ? explainChoice(cluster, { group, examined, place: winner }, []) : null;
  const { name, allocationPolicy } = groupAt(cluster, group);
  const reason = winner ? null : "every candidate is refused";
  const explained = {
    group: name,
    policy: allocationPolicy,
    eligible: reason === null,
    reason,
    leftOut: [],
  };
  return {
    ...base,
    to: winner ? placeNames(cluster, winner) : [],
    reason: winner ? null : "every candidate is refused",
    groups: [{ ...explained, field: examined.field }],
    choice,
  };
}
