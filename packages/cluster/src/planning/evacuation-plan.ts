/**
 * evacuationPlan: a plan that empties nodes for maintenance: the moves of instances in order,
 * instances that cannot move with the reason, and nodes that may be rebooted together.
 */
import {
  answerInParts,
  type Cluster,
  colourings,
  DataError,
  fewestColours,
  type InParts,
  loadCluster,
  rebootGraph,
  rebootGroups,
} from "@ganeti-ts/htools";
import { PrereqError } from "@ganeti-ts/job-queue";
import {
  type AllocatorRequest,
  type ClusterData,
  compareNaturally,
  type JsonObject,
} from "@ganeti-ts/protocol";
import { type NodeLoad, nodeLoad } from "./node-load.js";

/** Nodes to empty, and the instances that leave them. */
export interface EvacuationWish {
  readonly nodes: readonly string[];
  /**
   * `primaries`: nothing runs on the nodes, mirrors stay; `all`: nothing is left on them;
   * `other-groups`: like `all`, to nodes of other groups.
   */
  readonly scope: "primaries" | "all" | "other-groups";
}

/** An instance that moves; its job is at the same position of the plan's jobs. */
interface PlannedMove {
  readonly instance: string;
  /** Primary, then secondary. */
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** A plan that empties nodes; it changes nothing. */
export interface EvacuationPlan {
  readonly moves: readonly PlannedMove[];
  readonly stuck: readonly { readonly instance: string; readonly reason: string }[];
  readonly jobs: readonly (readonly JsonObject[])[];
  /** Groups of nodes that may be rebooted together, in order; the master's group is the last. */
  readonly rounds: readonly (readonly string[])[];
  /** Why there are no rounds. */
  readonly noRounds: string | undefined;
  /** The chosen nodes, the other nodes of their groups, and nodes whose instances change. */
  readonly before: readonly NodeLoad[];
  readonly after: readonly NodeLoad[];
}

type Request = Extract<AllocatorRequest, { type: "node-evacuate" | "change-group" }>;
type Answer = readonly [
  moved: readonly (readonly [name: string, group: string, nodes: readonly string[]])[],
  failed: readonly (readonly [name: string, reason: string])[],
  jobs: readonly (readonly JsonObject[])[],
];

/** Computes the plan in parts. @throws PrereqError for an unknown node */
export function* evacuationPlan(
  data: ClusterData,
  { nodes, scope }: EvacuationWish,
): InParts<EvacuationPlan> {
  const chosen = new Set(nodes);
  const known = new Set(data.nodes.map(({ name }) => name));
  const unknown = nodes.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new PrereqError("unknown_entity", `There is no node ${unknown}`);
  }
  const now = loadCluster(data);
  yield;
  // Marked as drained, so that they get no new instances.
  const drained = loadCluster(withOffline(data, chosen, true));
  yield;
  const course = new Course(drained, chosen);
  if (scope === "other-groups") yield* course.toOtherGroups();
  else yield* course.withinGroups(scope === "all");
  const shown = shownNodes(now, course.cluster, chosen);
  const loads = (cluster: Cluster) => shown.map((node) => nodeLoad(cluster, node));
  return {
    ...course.result(now),
    ...(yield* roundsOf(data, chosen)),
    before: loads(now),
    after: loads(course.cluster),
  };
}

const holds = (nodes: ReadonlySet<string>, { data }: Cluster, node: number | undefined): boolean =>
  nodes.has(data.nodes[node ?? -1]?.name ?? "");

/** Moves in order, each planned on the cluster as it is after the previous ones. */
class Course {
  cluster: Cluster;
  readonly #chosen: ReadonlySet<string>;
  readonly #jobs = new Map<number, JsonObject[]>();
  readonly #stuck = new Map<number, string>();

  constructor(cluster: Cluster, chosen: ReadonlySet<string>) {
    this.cluster = cluster;
    this.#chosen = chosen;
  }

  /** Instances with both nodes among the chosen ones first get another secondary; then primaries move, then secondaries. */
  *withinGroups(isAll: boolean): InParts<void> {
    const { cluster } = this;
    const both = this.#where((primary, secondary) => primary && secondary);
    if (isAll) yield* this.#evacuate(both, "secondary-only");
    else for (const index of both) this.#stuck.set(index, bothChosen);
    for (const index of this.#where((primary) => primary)) {
      const secondary = cluster.data.nodes[this.cluster.secondaryOf[index] ?? -1];
      if (secondary?.offline && !this.#chosen.has(secondary.name)) {
        this.#stuck.set(index, `Its secondary node ${secondary.name} is drained or offline`);
      }
    }
    yield* this.#evacuate(
      this.#where((primary) => primary),
      "primary-only",
    );
    if (!isAll) return;
    yield* this.#evacuate(
      this.#where((_, secondary) => secondary),
      "secondary-only",
    );
  }

  *toOtherGroups(): InParts<void> {
    const instanceIndices = this.#where((primary, secondary) => primary || secondary);
    yield* this.#answer({ type: "change-group", instanceIndices, targetGroups: [] });
  }

  /** Indices of matching instances on chosen nodes that are not stuck, in natural order of their names. */
  #where(wanted: (primary: boolean, secondary: boolean) => boolean): number[] {
    const { cluster } = this;
    const on = (node: number | undefined) => holds(this.#chosen, cluster, node);
    return cluster.data.instances
      .flatMap(({ name }, index) =>
        !this.#stuck.has(index) &&
        wanted(on(cluster.primaryOf[index]), on(cluster.secondaryOf[index]))
          ? [{ name, index }]
          : [],
      )
      .sort((a, b) => compareNaturally(a.name, b.name))
      .map(({ index }) => index);
  }

  #evacuate(
    instanceIndices: readonly number[],
    mode: "primary-only" | "secondary-only",
  ): InParts<void> {
    return this.#answer({ type: "node-evacuate", instanceIndices, mode });
  }

  *#answer(request: Request): InParts<void> {
    if (request.instanceIndices.length === 0) return;
    const { answer, after } = yield* answerInParts(this.cluster, request);
    if (!answer.success) {
      for (const index of request.instanceIndices) this.#stuck.set(index, answer.info);
      return;
    }
    const [moved, failed, jobs] = answer.result as unknown as Answer;
    const jobOf = new Map(moved.map(([name], at) => [name, jobs[at]]));
    const reasonOf = new Map(failed);
    for (const index of request.instanceIndices) {
      const { name } = this.cluster.data.instances[index] as { readonly name: string };
      const reason = reasonOf.get(name);
      if (reason !== undefined) this.#stuck.set(index, reason);
      else this.#jobs.set(index, [...(this.#jobs.get(index) ?? []), ...(jobOf.get(name) ?? [])]);
    }
    this.cluster = after;
  }

  result(before: Cluster): Pick<EvacuationPlan, "moves" | "stuck" | "jobs"> {
    const nameOf = (index: number) => before.data.instances[index]?.name ?? "";
    const places = (cluster: Cluster, index: number) =>
      [cluster.primaryOf[index], cluster.secondaryOf[index]].flatMap(
        (node) => cluster.data.nodes[node ?? -1]?.name ?? [],
      );
    return {
      moves: Array.from(this.#jobs.keys(), (index) => ({
        instance: nameOf(index),
        from: places(before, index),
        to: places(this.cluster, index),
      })),
      jobs: [...this.#jobs.values()],
      stuck: Array.from(this.#stuck, ([index, reason]) => ({ instance: nameOf(index), reason })),
    };
  }
}

const bothChosen =
  "Both of its nodes are chosen: take them in different rounds, or move everything off them";

/** Indices of the nodes in all groups that the plan affects. */
function shownNodes(before: Cluster, after: Cluster, chosen: ReadonlySet<string>): number[] {
  const groups = new Set<number>();
  before.data.nodes.forEach(({ name, groupIndex }) => {
    if (chosen.has(name)) groups.add(groupIndex);
  });
  before.data.instances.forEach((_, index) => {
    if (before.primaryOf[index] === after.primaryOf[index]) return;
    groups.add(after.data.nodes[after.primaryOf[index] ?? -1]?.groupIndex ?? -1);
  });
  return before.data.nodes.flatMap(({ groupIndex }, at) => (groups.has(groupIndex) ? [at] : []));
}

/** Rounds of reboots, computed like in hroller; drained nodes count as online, because they are rebooted, too. */
function* roundsOf(
  data: ClusterData,
  chosen: ReadonlySet<string>,
): InParts<Pick<EvacuationPlan, "rounds" | "noRounds">> {
  yield;
  const cluster = loadCluster(withOffline(data, chosen, false));
  yield;
  const nodes = data.nodes.flatMap(({ name }, at) => (chosen.has(name) ? [at] : []));
  const { classes } = fewestColours(colourings(rebootGraph(cluster, nodes, false)));
  yield;
  try {
    const groups = rebootGroups(cluster, classes, nodes, { ignoreNonRedundant: true });
    const rounds = groups.map((group) => group.nodes.map((node) => data.nodes[node]?.name ?? ""));
    return { rounds: rounds.filter((round) => round.length > 0), noRounds: undefined };
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return { rounds: [], noRounds: error.message };
  }
}

const withOffline = (
  data: ClusterData,
  chosen: ReadonlySet<string>,
  offline: boolean,
): ClusterData => ({
  ...data,
  nodes: data.nodes.map((node) => (chosen.has(node.name) ? { ...node, offline } : node)),
});
