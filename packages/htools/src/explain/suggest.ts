/** The smallest changes under which an instance that finds no place would find one; each is tried. */
import type {
  AllocationChange,
  AllocatorAnswer,
  AllocatorRequest,
  InstanceData,
  InstanceExplanation,
  Suggestion,
} from "@ganeti-ts/protocol";
import type { Cluster } from "../cluster.js";
import { type Instance, makeInstance } from "../instance.js";
import type { LoadOptions } from "../load.js";
import type { RequestOptions } from "../request-options.js";
import { changesText } from "./change-text.js";
import { goalFor } from "./goal.js";
import { type Lack, lacksOf, shortfallsOf } from "./lacks.js";
import { Prober } from "./prober.js";
import type { Resize } from "./resize.js";
import { suggestExtensions, suggestNewNodes, suggestReturns } from "./suggest-nodes.js";
import { permissions } from "./suggest-permissions.js";
import { suggestResizes } from "./suggest-resizes.js";
import { suggestTogether } from "./suggest-together.js";

/** What failed, for which instance. */
export interface Problem {
  readonly cluster: Cluster;
  readonly request: AllocatorRequest;
  readonly options: RequestOptions;
  readonly instance: Instance;
  readonly data: InstanceData;
  readonly lacks: readonly Lack[];
  readonly shortfalls: ReadonlyMap<Resize["resource"], readonly number[]>;
}

export interface Asked {
  readonly cluster: Cluster;
  readonly request: AllocatorRequest;
  readonly options: RequestOptions;
  readonly load: LoadOptions;
  readonly answer: AllocatorAnswer;
  /** Instances that suggestions are wanted for share the probes. */
  readonly failures: number;
}

export function suggestFor(
  { cluster, request, options, load, answer, failures }: Asked,
  explained: Omit<InstanceExplanation, "suggestions">,
): Suggestion[] {
  const goal = goalFor(request, answer, explained.instance);
  const data = dataOf(cluster, request, explained.instance);
  if (goal === undefined || data === undefined) return [];
  const probes = Math.floor(probesFor(cluster) / failures);
  const prober = new Prober(cluster, request, options, load, goal, probes);
  const problem: Problem = {
    cluster,
    request,
    options,
    data,
    instance: makeInstance(asAskedFor(data, request), -1, cluster.tagRules),
    lacks: lacksOf(cluster, explained),
    shortfalls: shortfallsOf(explained),
  };
  const permitted = permissions(problem);
  const helping = permitted.filter((change) => prober.hasTime && prober.succeeds([change]));
  const single = [
    ...suggestResizes(prober, problem),
    ...helping.filter(({ kind }) => kind !== "set-option"),
    ...suggestExtensions(prober, problem),
    ...suggestReturns(prober, problem),
    ...helping.filter(({ kind }) => kind === "set-option"),
  ];
  const newNodes = suggestNewNodes(prober, problem);
  const together = single.length > 0 ? undefined : suggestTogether(prober, problem, permitted);
  return [
    ...single.map((change) => [change]),
    ...(together ? [together] : []),
    ...newNodes.map((change) => [change]),
  ].map((changes: AllocationChange[]) => ({ changes, text: changesText(changes) }));
}

const asAskedFor = (data: InstanceData, { type }: AllocatorRequest): InstanceData =>
  type === "allocate-secondary" ? { ...data, diskTemplate: "drbd" } : data;

/** Fewer where each takes longer. */
const probesFor = ({ nodeCount, instanceCount }: Cluster): number =>
  Math.min(1500, Math.max(60, Math.floor(400_000 / (1 + nodeCount + instanceCount))));

/** The instance as the request has it, or as it is. */
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
