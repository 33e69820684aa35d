/** Operations that place and move instances. */
import {
  allocationOf,
  answerRequest,
  balance,
  groupView,
  loadCluster,
  planCapacity,
  standardCapacity,
} from "@ganeti-ts/htools";
import type { ClusterData } from "@ganeti-ts/protocol";
import type { NewInstances, Report } from "./operations.js";
import { settledData } from "./settled.js";

/** Data after an operation, and its report. */
export interface Done {
  readonly data: ClusterData;
  readonly report: Report;
}

/** Reports progress, and resolves to whether the operation should go on. */
export type Pace = (progress: string) => Promise<boolean>;

/** Error of an operation that the user has to correct; the message names the value. */
export class OperationFault extends Error {}

/** A report without lines and scores. */
export const said = (title: string): Report => ({ title, lines: [], scores: [], stopped: false });

/**
 * Places equal instances until one finds no place, as `hspace` does. Cost: O(nodes) for each, and a load of the
 * cluster.
 */
export async function addInstances(
  data: ClusterData,
  wanted: NewInstances,
  pace: Pace,
): Promise<Done> {
  const { count, prefix, group } = wanted;
  if (!(count >= 1)) throw new OperationFault(`${count} instances: at least 1 is needed`);
  const before = loadCluster(group === undefined ? data : onlyGroup(data, group));
  const plan = planCapacity(before, {
    diskTemplate: wanted.diskTemplate,
    limit: count,
    standardSpec: specOf(wanted),
  });
  if (!plan.ok) throw new OperationFault(plan.reason);
  const signal = { aborted: false };
  const steps = standardCapacity(plan.value, { signal });
  let step = steps.next();
  while (!step.done) {
    signal.aborted = !(await pace(`${step.value.placed} of ${count} instances placed`));
    step = steps.next();
  }
  if (!step.value.ok) throw new OperationFault(step.value.reason);
  const { placed, failures, after, aborted: stopped } = step.value.value;
  const reasons = failures.filter((failure) => failure.count > 0);
  const isShort = placed.length < count && reasons.length > 0;
  const report = {
    title: `${placed.length} of ${count} instances placed`,
    lines: isShort ? [`the next one: ${reasons.map(failureText).join(", ")}`] : [],
    ...{ scores: [], stopped },
  };
  if (placed.length === 0) return { data, report };
  const names = freeNames(data, prefix, placed.length);
  const settled = settledData(before, after);
  return { data: { ...settled, ...named(settled, data, names) }, report };
}

type Failure = { readonly reason: string; readonly count: number };
const failureText = ({ reason, count }: Failure) => `${reason} on ${count} candidates`;

/** Size of a new instance; its disk includes the metadata of drbd. */
const specOf = ({ memoryMib, diskMib, vcpus, diskTemplate }: NewInstances) => {
  const disks = diskTemplate === "diskless" ? [] : [diskMib];
  const { instance } = allocationOf({
    name: "size",
    memoryMib,
    vcpus,
    diskTemplate,
    disksMib: disks,
  });
  return { memoryMib, vcpus, diskMib: instance.diskMib, spindles: 1 };
};

/** The same cluster with the nodes of all other groups down. */
function onlyGroup(data: ClusterData, group: string): ClusterData {
  const index = data.groups.findIndex(({ name }) => name === group);
  if (index < 0) throw new OperationFault(`there is no group ${group}`);
  const nodes = data.nodes.map((node) =>
    node.groupIndex === index ? node : { ...node, offline: true },
  );
  return { ...data, nodes };
}

/** Gives new instances their names, and nodes the state that they have in `data`. */
function named(settled: ClusterData, data: ClusterData, names: readonly string[]) {
  const nodes = settled.nodes.map((node, at) => ({
    ...node,
    offline: data.nodes[at]?.offline ?? node.offline,
  }));
  const instances = settled.instances.map((instance, at) => {
    const name = names[at - data.instances.length];
    return name === undefined ? instance : { ...instance, name };
  });
  return { nodes, instances };
}

/** Names that no instance has yet, numbered from 1. */
function freeNames(data: ClusterData, prefix: string, count: number): readonly string[] {
  const taken = new Set(data.instances.map(({ name }) => name));
  const names: string[] = [];
  for (let number = 1; names.length < count; number++) {
    const name = `${prefix}-${number}`;
    if (!taken.has(name)) names.push(name);
  }
  return names;
}

/** Balances a group as `hbal` does, until no move gains enough. */
export async function balanceGroup(
  data: ClusterData,
  group: string,
  evacuationMode: boolean,
  pace: Pace,
): Promise<Done> {
  const index = data.groups.findIndex(({ name }) => name === group);
  if (index < 0) throw new OperationFault(`there is no group ${group}`);
  const before = loadCluster(data);
  const cluster = before.copy();
  const lines: string[] = [];
  const scores: number[] = [];
  const steps = balance(cluster, groupView(cluster, index), { evacuationMode });
  let final = { initialScore: 0, finalScore: 0, steps: 0 };
  let stopped = false;
  while (true) {
    stopped = !(await pace(`${lines.length} moves, score ${(scores.at(-1) ?? 0).toFixed(4)}`));
    if (stopped) break;
    const next = steps.next();
    if (next.done) {
      final = next.value;
      break;
    }
    const { value: step } = next;
    if (scores.length === 0) scores.push(step.scoreBefore);
    scores.push(step.score);
    lines.push(moveLine(before.data, step));
  }
  const [first = final.initialScore] = scores;
  const last = scores.at(-1) ?? final.initialScore;
  const title =
    lines.length === 0
      ? `no move improves the score ${first.toFixed(4)} enough`
      : `${lines.length} moves, score ${first.toFixed(4)} → ${last.toFixed(4)}`;
  return {
    data: lines.length === 0 ? data : settledData(before, cluster),
    report: { title, lines, scores, stopped },
  };
}

type Step =
  ReturnType<ReturnType<typeof balance>["next"]> extends IteratorResult<infer S, unknown>
    ? S
    : never;

function moveLine({ instances, nodes }: ClusterData, { index, from, to, score }: Step): string {
  const places = ({ primary, secondary }: Step["from"]) =>
    [primary, secondary].flatMap((node) => nodes[node]?.name ?? []).join(", ");
  return `${instances[index]?.name}: ${places(from)} → ${places(to)}  (score ${score.toFixed(4)})`;
}

/**
 * Moves all instances off a node in two requests of `node-evacuate`, as `gnt-node evacuate` does with `-p` and `-s`:
 * mirrored primaries fail over first, then all secondaries get another node.
 */
export function evacuateNode(data: ClusterData, node: string): Done {
  const index = data.nodes.findIndex(({ name }) => name === node);
  if (index < 0) throw new OperationFault(`there is no node ${node}`);
  const first = evacuated(data, index, "primary");
  const second = evacuated(first.data, index, "secondary");
  const count = data.instances.filter(
    (one) => one.primary === index || one.secondary === index,
  ).length;
  const left = second.data.instances.filter(
    (one) => one.primary === index || one.secondary === index,
  );
  const title = `${count - left.length} of ${count} instances left ${node}`;
  return {
    data: second.data,
    report: { title, lines: [...first.lines, ...second.lines], scores: [], stopped: false },
  };
}

function evacuated(data: ClusterData, node: number, role: "primary" | "secondary") {
  const instanceIndices = data.instances.flatMap((instance, at) =>
    instance[role] === node ? [at] : [],
  );
  if (instanceIndices.length === 0) return { data, lines: [] };
  const before = loadCluster(data);
  const mode = role === "primary" ? "primary-only" : "secondary-only";
  const request = { type: "node-evacuate", instanceIndices, mode } as const;
  const { answer, after } = answerRequest(before, request);
  if (!answer.success) return { data, lines: [answer.info] };
  const [moved, failed] = answer.result as [[string, string, string[]][], [string, string][]];
  const lines = [
    ...moved.map(([name, , nodes]) => `${name} → ${nodes.join(", ")}`),
    ...failed.map(([name, reason]) => `${name} stays: ${reason}`),
  ];
  return { data: moved.length === 0 ? data : settledData(before, after), lines };
}
