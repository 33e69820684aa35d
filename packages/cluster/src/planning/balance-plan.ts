/** balancePlan: a plan that balances one group: the steps with their scores, the jobs, and the nodes before and after. */
import type { Turn } from "@ganeti-ts/allocators";
import {
  type BalanceOptions,
  type BalanceStep,
  balanceInParts,
  type Cluster,
  groupView,
  jobSets,
  loadCluster,
  moveJob,
  moveText,
  optimum,
} from "@ganeti-ts/htools";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { CancelSignal, ClusterData, JsonObject } from "@ganeti-ts/protocol";
import { type NodeLoad, nodeLoad } from "./node-load.js";

/** Options of a balancing plan, with the meaning and the defaults of those of `hbal`. */
export interface BalanceWish
  extends Partial<
    Pick<
      BalanceOptions,
      | "evacuationMode"
      | "diskMoves"
      | "instanceMoves"
      | "restrictedMigration"
      | "minGain"
      | "minGainLimit"
      | "stepsMax"
    >
  > {
  /** Name or UUID of the group; required if several groups have nodes. */
  readonly group?: string | undefined;
  /** Prefixes of exclusion tags: instances with the same tag `PREFIX:…` are kept apart. */
  readonly exclusionTags?: readonly string[] | undefined;
  /** Names of instances that stay where they are. */
  readonly excluded?: readonly string[] | undefined;
}

/** One step of a balancing plan. */
interface BalancePlanStep {
  readonly instance: string;
  /** Primary, then secondary. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** In the notation of `hbal`: `f`, `r:node1 f`, … */
  readonly move: string;
  readonly score: number;
  /** Number of its job set, from 0; a set starts when the one before it has succeeded. */
  readonly set: number;
}

/** A balancing plan; it changes nothing. */
export interface BalancePlan {
  readonly group: string;
  readonly initialScore: number;
  readonly finalScore: number;
  /** Lower bound of the score. */
  readonly optimum: number;
  /** Why there are no further steps. */
  readonly ended: "optimum" | "no gain" | "steps" | "aborted";
  readonly steps: readonly BalancePlanStep[];
  /** One job for each step; dependencies are relative to the list. */
  readonly jobs: readonly (readonly JsonObject[])[];
  readonly before: readonly NodeLoad[];
  readonly after: readonly NodeLoad[];
}

/**
 * Computes the plan; `turn` is called between parts of the search, so that a server can answer other requests meanwhile.
 * @throws PrereqError for an unknown group or instance, or if several groups have nodes and none is named
 */
export async function balancePlan(
  data: ClusterData,
  { group, exclusionTags, excluded = [], ...options }: BalanceWish,
  turn: Turn,
  signal?: CancelSignal,
): Promise<BalancePlan> {
  const known = new Set(data.instances.map(({ name }) => name));
  const unknown = excluded.find((name) => !known.has(name));
  if (unknown !== undefined) throw missing("instance", unknown);
  const cluster = loadCluster(data, {
    excludeInstances: excluded,
    ...(exclusionTags && { exclusionPrefixes: exclusionTags }),
  });
  const index = groupIndex(cluster, group);
  const view = groupView(cluster, index);
  const loads = () => view.nodes.map((node) => nodeLoad(cluster, node));
  const before = loads();
  const least = optimum(cluster, view.nodes);
  const run = balanceInParts(cluster, view, options, signal);
  const steps: BalanceStep[] = [];
  for (;;) {
    await turn();
    const next = run.next();
    if (!next.done) {
      if (next.value.kind === "step") steps.push(next.value.step);
      continue;
    }
    const { initialScore, finalScore, ended } = next.value;
    const sets = jobSets(cluster, steps);
    return {
      group: data.groups[index]?.name ?? "",
      ...{ initialScore, finalScore, ended, optimum: least, before },
      steps: sets.flatMap((set, at) => set.map((step) => stepOf(cluster, step, at))),
      jobs: dependentJobs(cluster, sets),
      after: loads(),
    };
  }
}

const missing = (kind: string, name: string): PrereqError =>
  new PrereqError("unknown_entity", `There is no ${kind} ${name}`);

/** Index of the named group, or of the only one that has nodes. */
function groupIndex({ data, nodesByGroup }: Cluster, wanted: string | undefined): number {
  if (wanted !== undefined) {
    const found = data.groups.findIndex(({ name, uuid }) => name === wanted || uuid === wanted);
    if (found < 0) throw missing("group", wanted);
    return found;
  }
  const inUse = data.groups.flatMap(({ name }, at) =>
    nodesByGroup[at]?.length ? [{ name, at }] : [],
  );
  if (inUse.length > 1) {
    const names = inUse.map(({ name }) => name).join(", ");
    throw new PrereqError("wrong_input", `Several groups have nodes (${names}): name one of them`);
  }
  return inUse[0]?.at ?? 0;
}

function stepOf(cluster: Cluster, step: BalanceStep, set: number): BalancePlanStep {
  const nameOf = (node: number) => cluster.data.nodes[node]?.name ?? "";
  const names = ({ primary, secondary }: { primary: number; secondary: number }) =>
    [primary, secondary].filter((node) => node >= 0).map(nameOf);
  return {
    instance: cluster.data.instances[step.index]?.name ?? "",
    from: names(step.from),
    to: names(step.to),
    move: moveText(cluster, step),
    score: step.score,
    set,
  };
}

/** One job for each step, in order; each depends on the success of all jobs of the previous set. */
function dependentJobs(
  cluster: Cluster,
  sets: readonly (readonly BalanceStep[])[],
): readonly (readonly JsonObject[])[] {
  const jobs: (readonly JsonObject[])[] = [];
  let previous: readonly number[] = [];
  for (const set of sets) {
    const first = jobs.length;
    for (const step of set) {
      const depends = previous.map((at) => [at - jobs.length, ["success"]]);
      const [opcode = {}, ...others] = moveJob(cluster, step) as readonly JsonObject[];
      jobs.push([depends.length > 0 ? { ...opcode, depends } : opcode, ...others]);
    }
    previous = set.map((_, at) => first + at);
  }
  return jobs;
}
