/** Choice of the score columns for a search. */
import type { Instance } from "../model/instance.js";
import type { KeptBoard } from "../score/kept-scores.js";
import type { Search } from "./allocation.js";

/**
 * The columns of the scored nodes. Undefined if columns do not suffice: the cluster is in a trial, or locations, exclusive storage or figures that are not numbers matter.
 */
export function keptBoardFor(
  { cluster, scored, scores }: Search,
  candidates: readonly number[],
): KeptBoard | undefined {
  const { facts } = cluster;
  if (scores === undefined || !cluster.isSettled || scores.hasLocations) return undefined;
  const board = scores.boardOf(scored);
  if (board === undefined) return undefined;
  const { columns } = board;
  columns.settle();
  if (!columns.isRegular) return undefined;
  for (const node of candidates) {
    if (columns.placeOfNode(node) < 0 || facts.exclusiveStorage[node] === 1) return undefined;
  }
  return board;
}

/**
 * Whether `RoleShifts` covers the instance, and columns that are equal stay equal on the nodes it is placed on: only
 * under equal loads.
 */
export function hasKeptEffects(instance: Instance): boolean {
  const { usesMemory, exclusionTags, desiredLocations, load } = instance;
  return (
    usesMemory &&
    exclusionTags.length + desiredLocations.length === 0 &&
    load.cpu === load.memory &&
    load.cpu === load.network
  );
}
