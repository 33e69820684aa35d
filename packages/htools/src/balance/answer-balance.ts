/** Answer to the request `balance`: the moves as jobs with dependencies, and the figures. */
import type { AllocatorRequest } from "@ganeti-ts/protocol";
import { placeNames } from "../allocate/allocation.js";
import type { Opcode } from "../allocate/evacuation-job.js";
import { findGroup, groupAt } from "../allocate/group-choice.js";
import { failure, type RequestOptions, type Result, success } from "../allocate/request-options.js";
import type { Cluster } from "../model/cluster.js";
import { groupView } from "../model/cluster-views.js";
import type { InParts } from "../parts.js";
import { finiteOrNull, formatFixed } from "../text/number-format.js";
import { type Balanced, type BalanceStep, balanceInParts } from "./balance.js";
import { jobSets } from "./job-sets.js";
import { moveJob, moveText } from "./move-steps.js";
import { optimum } from "./optimum.js";

type BalanceRequest = Extract<AllocatorRequest, { type: "balance" }>;

export interface BalanceFound {
  readonly group: number;
  readonly steps: readonly BalanceStep[];
  readonly outcome: Balanced;
  readonly optimum: number;
}

/**
 * Changes the cluster.
 * @param onState called with the nodes at the start and after every step
 */
export function* balanceAsAsked(
  cluster: Cluster,
  request: BalanceRequest,
  options: RequestOptions,
  onState: (nodes: readonly number[], step?: BalanceStep) => void = () => {},
): InParts<Result<BalanceFound>> {
  const asked = groupAsked(cluster, request.groupName);
  if (!asked.ok) return asked;
  const group = asked.value;
  const { nodes, instances } = groupView(cluster, group);
  const least = optimum(cluster, nodes);
  const selected = new Set(request.selectedIndices);
  const excluded = new Set(request.excludedIndices);
  const chosen = instances.filter(
    (index) => (selected.size === 0 || selected.has(index)) && !excluded.has(index),
  );
  const ignoreSoftErrors = request.ignoreSoftErrors || options.ignoreSoftErrors;
  const found = balanceInParts(
    cluster,
    { nodes, instances: chosen },
    { ...request, ignoreSoftErrors, stepsMax: request.movesMax, preferForthcoming: true },
  );
  const steps: BalanceStep[] = [];
  onState(nodes);
  for (;;) {
    const next = found.next();
    if (next.done) return success({ group, steps, outcome: next.value, optimum: least });
    if (next.value.kind === "step") {
      steps.push(next.value.step);
      onState(nodes, next.value.step);
    }
    yield;
  }
}

/** The named group, or the only one that has nodes; without any nodes, the first. */
function groupAsked(cluster: Cluster, name: string | undefined): Result<number> {
  if (name !== undefined) return findGroup(cluster, name);
  const groups = [...cluster.data.groups.keys()];
  const inUse = groups.filter((group) => (cluster.nodesByGroup[group] ?? []).length > 0);
  if (inUse.length > 1) return failure("Found multiple node groups, please specify one");
  return success(inUse[0] ?? 0);
}

/** The parts of the answer: `info` without its prefix, and `result`. */
export function balanceAnswer(cluster: Cluster, found: BalanceFound) {
  const { group, steps, outcome } = found;
  const { initialScore, finalScore } = outcome;
  const scores = `${formatFixed(initialScore, 8)} -> ${formatFixed(finalScore, 8)}`;
  const sets = jobSets(cluster, steps);
  const instanceName = (index: number) => cluster.instances[index]?.data.name;
  const nodeName = (node: number) => cluster.data.nodes[node]?.name as string;
  const groupName = cluster.data.groups.length > 0 ? groupAt(cluster, group).name : "";
  return {
    info: `${steps.length} moves computed, score ${scores}`,
    result: [
      steps.map(({ index, to }) => [instanceName(index), groupName, placeNames(cluster, to)]),
      [],
      dependentJobs(cluster, sets),
      {
        initial_score: finiteOrNull(initialScore),
        final_score: finiteOrNull(finalScore),
        optimal_score: finiteOrNull(found.optimum),
        moves: steps.map((step) => [
          instanceName(step.index),
          moveText(cluster, step, nodeName),
          finiteOrNull(step.score),
        ]),
        jobsets: sets.map((set) => set.length),
      },
    ],
  };
}

/** One job per step, in order; each depends on all jobs of the previous set. */
function dependentJobs(
  cluster: Cluster,
  sets: readonly (readonly BalanceStep[])[],
): readonly (readonly Opcode[])[] {
  const jobs: Opcode[][] = [];
  let before: readonly number[] = [];
  for (const set of sets) {
    const first = jobs.length;
    for (const step of set) {
      const depends = before.map((position) => [position - jobs.length, ["success"]]);
      const [opcode, ...others] = moveJob(cluster, step) as [Opcode, ...Opcode[]];
      const { OP_ID, ...parameters } = opcode;
      const dependent = depends.length > 0 ? { OP_ID, depends, ...parameters } : opcode;
      jobs.push([dependent, ...others]);
    }
    before = set.map((_, at) => first + at);
  }
  return jobs;
}
