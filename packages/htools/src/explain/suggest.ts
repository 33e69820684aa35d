/** Suggestions: the smallest changes under which a failed instance could be placed; each is tested. */
import type {
  AllocatorAnswer,
  AllocatorRequest,
  InstanceData,
  InstanceExplanation,
} from "@ganeti-ts/protocol";
import type { RequestOptions } from "../allocate/request-options.js";
import type { Cluster } from "../model/cluster.js";
import { makeInstance } from "../model/instance.js";
import type { LoadOptions } from "../model/load.js";
import type { InParts } from "../parts.js";
import { changesText } from "./change-text.js";
import { ChangeTrials, type TrialLimits } from "./change-trials.js";
import type { Problem } from "./problem.js";
import { excessesOf, shortagesOf } from "./shortages.js";
import { successTestFor } from "./success-test.js";
import { suggestExtensions, suggestNewNodes, suggestReturns } from "./suggest-nodes.js";
import { permissions } from "./suggest-permissions.js";
import { suggestResizes } from "./suggest-resizes.js";
import { suggestTogether } from "./suggest-together.js";

export type Suggested = Pick<InstanceExplanation, "suggestions" | "suggestionsComplete">;

/** Explanation of an instance without suggestions. */
export type Explained = Omit<InstanceExplanation, keyof Suggested>;

export interface Asked {
  readonly cluster: Cluster;
  readonly request: AllocatorRequest;
  readonly options: RequestOptions;
  readonly load: LoadOptions;
  readonly answer: AllocatorAnswer;
  readonly trialLimits: TrialLimits;
}

export function* suggestFor(
  { cluster, request, options, load, answer, trialLimits }: Asked,
  explained: Explained,
): InParts<Suggested> {
  const isSuccess = successTestFor(request, answer, explained.instance);
  const data = dataOf(cluster, request, explained.instance);
  if (isSuccess === undefined || data === undefined) {
    return { suggestions: [], suggestionsComplete: true };
  }
  const trials = new ChangeTrials(cluster, { request, options }, load, isSuccess, trialLimits);
  const problem: Problem = {
    cluster,
    request,
    options,
    data,
    instance: makeInstance(asAskedFor(data, request), -1, tagRulesFor(cluster, request)),
    shortages: shortagesOf(cluster, explained),
    excesses: excessesOf(explained),
  };
  const permitted = permissions(problem);
  const helping = yield* trials.helping(permitted);
  const single = [
    ...(yield* suggestResizes(trials, problem)),
    ...helping.filter(({ kind }) => kind !== "set-option"),
    ...(yield* suggestExtensions(trials, problem)),
    ...(yield* suggestReturns(trials, problem)),
    ...helping.filter(({ kind }) => kind === "set-option"),
  ];
  const newNodes = yield* suggestNewNodes(trials, problem);
  const together =
    single.length > 0 ? undefined : yield* suggestTogether(trials, problem, permitted);
  const changes = [
    ...single.map((change) => [change]),
    ...(together ? [together] : []),
    ...newNodes.map((change) => [change]),
  ];
  const suggestions = changes.map((made) => ({ changes: made, text: changesText(made) }));
  return { suggestions, suggestionsComplete: !trials.cutShort };
}

const asAskedFor = (data: InstanceData, { type }: AllocatorRequest): InstanceData =>
  type === "allocate-secondary" ? { ...data, diskTemplate: "drbd" } : data;

const tagRulesFor = (cluster: Cluster, { type }: AllocatorRequest) =>
  type === "allocate" || type === "multi-allocate" ? cluster.newcomerTagRules : cluster.tagRules;

/** The instance as in the request, or as it exists. */
function dataOf(
  cluster: Cluster,
  request: AllocatorRequest,
  name: string,
): InstanceData | undefined {
  if (request.type === "allocate") return request.instance;
  if (request.type === "multi-allocate") {
    return request.wanted.find(({ instance }) => instance.name === name)?.instance;
  }
  return cluster.data.instances.find((instance) => instance.name === name);
}
