/** Explanation of an allocation, with all candidates in the requested group or in every group. */
import type { Choice, GroupExplanation } from "@ganeti-ts/protocol";
import { allocate, makeSearch, type Where } from "../allocate/allocate.js";
import type { Allocated, Place } from "../allocate/allocation.js";
import { candidatesIn, findGroup, groupAt, hasNetworksFor } from "../allocate/group-choice.js";
import type { Order } from "../allocate/order.js";
import type { RequestOptions, Result } from "../allocate/request-options.js";
import type { Cluster } from "../model/cluster.js";
import { examineDedicated } from "./dedicated-candidates.js";
import type { Examination, Examined } from "./examination.js";
import { leftOut } from "./excluded-nodes.js";
import { type ExaminedGroup, explainChoice } from "./explain-choice.js";
import { examinePairs } from "./pair-candidates.js";
import { examineSingleNodes } from "./single-candidates.js";

export interface Allocating extends Where {
  readonly order: Order;
  readonly options: RequestOptions;
  readonly listMax: number;
}

export interface AllocationExplained {
  readonly groups: GroupExplanation[];
  readonly choice: Choice | null;
  readonly found: Result<Allocated<unknown>>;
  readonly place: Place<unknown> | undefined;
  readonly reason: string | null;
}

export function explainAllocation(cluster: Cluster, asked: Allocating): AllocationExplained {
  const { groupName, allowed } = asked;
  const found = allocate(cluster, asked.order, asked, asked.options);
  const place = found.ok ? found.value.place : undefined;
  const named = groupName === undefined ? undefined : findGroup(cluster, groupName);
  if (named?.ok === false) {
    const reason = `there is no group, or more than one, called ${groupName}`;
    return { groups: [], choice: null, found, place, reason };
  }
  const examination = examinationOf(cluster, asked, named?.value);
  const indices = named?.ok ? [named.value] : cluster.data.groups.map((_, group) => group);
  const tried = indices.map((group) => {
    const why = allowed?.includes(group) === false ? "it is not a target" : undefined;
    return tryGroup(cluster, asked, examination, group, why);
  });
  const groups = tried.map(({ explained }) => explained);
  const examined = tried.flatMap(({ group, explained, examined }) =>
    examined === undefined || !explained.eligible ? [] : [{ group, examined }],
  );
  const choice = found.ok && place ? choose(cluster, examined, found.value.group, place) : null;
  const [only, ...further] = groups.filter(({ reason }) => reason !== "it is not a target");
  const why =
    only && further.length === 0 ? `in group ${only.group}, ${only.reason}` : "no group takes it";
  const reason = place === undefined ? why : null;
  return { groups, choice, found, place, reason };
}

/** With a group named, only its nodes are scored and examined, and its instances counted. */
function examinationOf(
  cluster: Cluster,
  { order, options, listMax }: Allocating,
  named: number | undefined,
): Examination {
  const everyNode = cluster.data.nodes.map((_, node) => node);
  const nodes =
    named === undefined ? everyNode : (cluster.nodesByGroup[named] as readonly number[]);
  const nextIndex =
    named === undefined
      ? cluster.instanceCount
      : cluster.primaryOf.filter((node) => cluster.facts.groupOf[node] === named).length;
  const search = makeSearch(cluster, order, nodes, nextIndex, options);
  return { ...search, newcomer: { instance: order.instance, index: nextIndex }, listMax };
}

interface GroupTried {
  readonly group: number;
  readonly explained: GroupExplanation;
  readonly examined?: Examined;
}

function tryGroup(
  cluster: Cluster,
  asked: Allocating,
  examination: Examination,
  group: number,
  outside: string | undefined,
): GroupTried {
  const { order, options, groupName } = asked;
  const data = groupAt(cluster, group);
  const explain = (
    eligible: boolean,
    reason: string | null,
    candidates: readonly number[],
  ): GroupExplanation => ({
    group: data.name,
    policy: data.allocationPolicy,
    eligible,
    reason,
    leftOut: leftOut(cluster, group, candidates, () => "not among the nodes allowed"),
  });
  const everyNode = cluster.nodesByGroup[group] as readonly number[];
  const without = (reason: string, candidates = everyNode) => ({
    group,
    explained: explain(false, reason, candidates),
  });
  if (outside !== undefined) return without(outside);
  if (cluster.nodesByGroup[group]?.length === 0) return without("it has no nodes");
  if (!hasNetworksFor(data, order.instance)) {
    const missing = order.instance.data.networks.filter(
      (network) => network !== null && !data.networks.includes(network),
    );
    return without(`it is not connected to network ${[...new Set(missing)].join(", ")}`);
  }
  const candidates = candidatesIn(cluster, group, order.requiredNodes, options.restrictTo);
  if (!candidates.ok) {
    const among = options.restrictTo === undefined ? "" : " among those allowed";
    return without(`${plainWords(candidates.reason, order.requiredNodes)}${among}`, []);
  }
  const { nodes } = candidates.value;
  const examined = examineGroup(asked, examination, group, candidates.value);
  const closed = groupName === undefined && data.allocationPolicy === "unallocable";
  const reason = closed
    ? "it is unallocable"
    : examined.field.feasible === 0
      ? "every candidate is refused"
      : null;
  return {
    group,
    explained: { ...explain(reason === null, reason, nodes), field: examined.field },
    examined,
  };
}

function examineGroup(
  { order, options, dedicated }: Allocating,
  examination: Examination,
  group: number,
  { copies, nodes }: { readonly copies: 1 | 2; readonly nodes: readonly number[] },
): Examined {
  const { cluster, listMax } = examination;
  if (dedicated) {
    const { instance } = order;
    const force = options.ignoreSoftErrors;
    return examineDedicated({ cluster, group, instance, copies, nodes, force, listMax });
  }
  return copies === 1
    ? examineSingleNodes(examination, nodes, order.locationScore)
    : examinePairs(examination, nodes, nodes);
}

function plainWords(reason: string, requiredNodes: number): string {
  if (requiredNodes === 1) return "it has no online node";
  return requiredNodes === 2 ? "it has fewer than 2 online nodes" : reason;
}

function choose(
  cluster: Cluster,
  examined: readonly ExaminedGroup[],
  group: number,
  place: Place<unknown>,
): Choice | null {
  const winner = examined.find((one) => one.group === group);
  if (winner === undefined) return null;
  const others = examined.filter((one) => one !== winner);
  return explainChoice(cluster, { ...winner, place }, others);
}
