/** Scope of a capacity run: the nodes that instances may be placed on, and those that must remain evacuable. */

import type { Cluster } from "../model/cluster.js";
import { badItems, groupView } from "../model/cluster-views.js";
import { stuckNodes } from "../n1/capacity-check.js";

export interface ScopeOptions {
  /** Instances are only placed if every node can still be emptied afterwards. */
  readonly capacityChecks: boolean;
  /** Groups that fail N+1 take no instances, but do not keep other groups from taking some. */
  readonly independentGroups: boolean;
  /** Existing N+1 failures do not count. */
  readonly acceptExistingErrors: boolean;
}

export interface CapacityScope {
  /** Nodes an instance needs: two with a mirror. */
  readonly copies: 1 | 2;
  /** Candidates by group; of a pair both are of one group. Groups without candidates are left out. */
  readonly groups: readonly (readonly number[])[];
  /** Nodes that must be possible to empty; undefined without capacity checks. */
  readonly examined: readonly number[] | undefined;
  /** Nothing is placed, because some nodes fail N+1 already. */
  readonly blocked: boolean;
  /** Online nodes that fail N+1. */
  readonly badNodes: readonly number[];
}

/** Source: Ganeti, HTools/Program/Hspace.hs (`main`) and HTools/Cluster.hs (`genAllocNodes`). */
export function findScope(cluster: Cluster, copies: 1 | 2, options: ScopeOptions): CapacityScope {
  const { capacityChecks, independentGroups, acceptExistingErrors } = options;
  const badGroups = independentGroups ? groupsThatBreakN1(cluster, options) : [];
  const { data, facts } = cluster;
  const everyNode = data.nodes.map((_, node) => node);
  const badNodes = badItems(cluster, everyNode).nodes;
  const closed = new Set<number>();
  if (!acceptExistingErrors) for (const node of badNodes) closed.add(facts.groupOf[node] as number);
  for (const group of badGroups) closed.add(group);
  const open = data.groups.map(
    ({ allocationPolicy }, group) => allocationPolicy !== "unallocable" && !closed.has(group),
  );
  const groups = cluster.nodesByGroup.flatMap((nodes, group) => {
    const candidates = open[group] ? nodes.filter((node) => facts.offline[node] === 0) : [];
    return candidates.length < copies ? [] : [candidates];
  });
  const examined = everyNode.filter(
    (node) =>
      !(acceptExistingErrors && facts.offline[node] === 1) &&
      !badGroups.includes(facts.groupOf[node] as number),
  );
  return {
    copies,
    groups,
    examined: capacityChecks ? examined : undefined,
    blocked:
      badNodes.length > 0 && !acceptExistingErrors && !(independentGroups && open.includes(true)),
    badNodes,
  };
}

/** Groups with a node that cannot be emptied into the rest of the group. */
export function groupsThatBreakN1(
  cluster: Cluster,
  { acceptExistingErrors }: Pick<ScopeOptions, "acceptExistingErrors">,
): number[] {
  const { offline } = cluster.facts;
  return [...cluster.data.groups.keys()].filter((group) => {
    const stuck = stuckNodes(cluster, groupView(cluster, group).nodes);
    return stuck.some((node) => !acceptExistingErrors || offline[node] === 0);
  });
}
