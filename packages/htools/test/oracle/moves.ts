// Elementary moves of an instance; each gives a new state, or why it cannot be done.
import type { MisfitName } from "../../src/fit/misfit.js";
import { type PlainInstance, type PlainNode, type State, shared } from "./model.js";
import { addPri, addSec, isNode, policyRefusal, removePri, removeSec } from "./place.js";
import { type Replaced, withReplaced } from "./score.js";

export type Step = { readonly state: State; readonly instance: PlainInstance } | MisfitName;

export const isDone = (step: Step): step is Exclude<Step, string> => typeof step !== "string";

export const nodeAt = ({ nodes }: State, at: number) => nodes[at] as PlainNode;

const legal = (from: PlainNode, to: PlainNode) =>
  from.migration.every((tag) => to.receives.includes(tag));

export const replaced = (state: State, ...changes: readonly Replaced[]): State => ({
  ...state,
  nodes: withReplaced(state.nodes, changes),
});

export function failOver(state: State, instance: PlainInstance, force: boolean): Step {
  const { primary, secondary } = instance;
  const from = nodeAt(state, primary);
  const to = nodeAt(state, secondary);
  if (!legal(from, to)) return "FailMig";
  const forced = force || from.offline;
  const added = addPri(removeSec(to, instance), instance, forced);
  if (!isNode(added)) return added;
  const ignoreDisk = from.offline;
  const left = addSec(removePri(from, instance), instance, secondary, forced, { ignoreDisk });
  if (!isNode(left)) return left;
  return {
    state: replaced(state, [secondary, added], [primary, left]),
    instance: { ...instance, primary: secondary, secondary: primary },
  };
}

export function moveAnywhere(
  state: State,
  instance: PlainInstance,
  target: number,
  force: boolean,
): Step {
  const { primary } = instance;
  const from = nodeAt(state, primary);
  if (!legal(from, nodeAt(state, target))) return "FailMig";
  const added = addPri(nodeAt(state, target), instance, force || from.offline);
  if (!isNode(added)) return added;
  return {
    state: replaced(state, [target, added], [primary, removePri(from, instance)]),
    instance: { ...instance, primary: target },
  };
}

export function replaceSec(
  state: State,
  instance: PlainInstance,
  target: number,
  force: boolean,
): Step {
  const { primary, secondary } = instance;
  const forced = force || nodeAt(state, secondary).offline;
  const first = removePri(nodeAt(state, primary), instance);
  const left = replaced(
    state,
    [primary, first],
    [secondary, removeSec(nodeAt(state, secondary), instance)],
  );
  const locationScore = shared(first, nodeAt(state, target));
  const after = { ...instance, secondary: target, locationScore };
  const added = addSec(nodeAt(left, target), after, primary, forced);
  if (!isNode(added)) return added;
  const back = addPri(nodeAt(left, primary), after, true);
  if (!isNode(back)) return back;
  return { state: replaced(left, [target, added], [primary, back]), instance: after };
}

/** Whether every node of the list can be emptied, in a state that has the newcomer in it. */
export function allCanBeEmptied(
  state: State,
  examined: readonly number[],
  scoreOf: (nodes: readonly PlainNode[]) => number,
): boolean {
  return examined.every((node) => canBeEmptied(state, node, examined, scoreOf));
}

export function canBeEmptied(
  start: State,
  node: number,
  examined: readonly number[],
  scoreOf: (nodes: readonly PlainNode[]) => number,
): boolean {
  const { group, primaries } = nodeAt(start, node);
  const members = start.nodes.flatMap((one, at) => (one.group === group ? [at] : []));
  const others = members.filter((at) => at !== node);
  const evacuees = primaries.map((index) => start.instances[index] as PlainInstance);
  const templateOf = (one: PlainInstance) => one.data.diskTemplate;
  const moving = ["diskless", "sharedfile", "rbd", "ext", "gluster"];
  let state = start;
  for (const instance of evacuees.filter((one) => templateOf(one) === "drbd")) {
    if (instance.secondary < 0) return false;
    const step = failOver(state, instance, true);
    if (!isDone(step)) return false;
    state = step.state;
  }
  for (const instance of evacuees.filter((one) => moving.includes(templateOf(one)))) {
    const steps = others.map((target) => moveAnywhere(state, instance, target, true));
    const best = lastBest(steps.filter(isDone), (step) =>
      scoreOf(members.map((at) => nodeAt(step.state, at))),
    );
    if (best === undefined) return false;
    state = best.state;
  }
  const staying = evacuees.filter(
    (one) => templateOf(one) !== "drbd" && !moving.includes(templateOf(one)),
  );
  for (const instance of staying.sort((a, b) => b.memory - a.memory)) {
    const steps = others.flatMap((target) => {
      if (policyRefusal(nodeAt(state, target), instance) !== undefined) return [];
      const added = addPri(nodeAt(state, target), instance, true);
      return isNode(added) ? [replaced(state, [target, added])] : [];
    });
    const best = lastBest(steps, (after) => scoreOf(examined.map((at) => nodeAt(after, at))));
    if (best === undefined) return false;
    state = best;
  }
  return true;
}

/** Lowest score; among equals the last. */
export function lastBest<T>(items: readonly T[], scoreOf: (item: T) => number): T | undefined {
  let best: { item: T; score: number } | undefined;
  for (const item of items) {
    const score = scoreOf(item);
    if (best === undefined || !(best.score < score)) best = { item, score };
  }
  return best?.item;
}
