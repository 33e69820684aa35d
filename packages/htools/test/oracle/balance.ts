// One balancing step by making every move of every instance and scoring the whole list from scratch.

import type { MisfitName } from "../../src/fit/misfit.js";
import type { BalanceMove, BalanceOptions } from "../../src/index.js";
import { type PlainInstance, type PlainNode, type State, shared } from "./model.js";
import {
  failOver,
  isDone,
  moveAnywhere,
  nodeAt,
  replaced,
  replaceSec,
  type Step,
} from "./moves.js";
import { addPri, addSec, isNode, removePri, removeSec } from "./place.js";
import { plainScore } from "./score.js";

export interface PlainStep {
  readonly index: number;
  readonly move: BalanceMove;
  readonly score: number;
  readonly after: State;
}

/** The first move with the lowest score, if that is below the present one. */
export function stepPlainly(
  state: State,
  nodes: readonly number[],
  indices: readonly number[],
  options: BalanceOptions,
): PlainStep | undefined {
  const scoreOf = (after: State) => plainScore(nodes.map((at) => nodeAt(after, at)));
  const inGroup = new Set(nodes);
  let lowest = scoreOf(state);
  let best: PlainStep | undefined;
  for (const index of indices) {
    const instance = state.instances[index] as PlainInstance;
    if (!isVictim(state, instance, inGroup, options)) continue;
    for (const move of everyMove(state, instance, nodes, options)) {
      const step = plainMove(state, instance, move, options.ignoreSoftErrors);
      if (!isDone(step)) continue;
      const instances = state.instances.with(index, step.instance);
      const after = { ...step.state, instances };
      const score = scoreOf(after);
      if (!(score < lowest)) continue;
      lowest = score;
      best = { index, move, score, after };
    }
  }
  return best;
}

function isVictim(
  state: State,
  { primary, secondary, data }: PlainInstance,
  inGroup: ReadonlySet<number>,
  { evacuationMode }: BalanceOptions,
): boolean {
  const template = data.diskTemplate;
  if (["plain", "file", "diskless"].includes(template) || !data.autoBalance) return false;
  if (secondary >= 0 && !inGroup.has(secondary)) return false;
  const mirrored = template === "drbd" && secondary >= 0;
  const places = mirrored ? [primary, secondary] : [primary];
  return !evacuationMode || places.some((at) => nodeAt(state, at).offline);
}

function everyMove(
  state: State,
  { primary, secondary, data }: PlainInstance,
  nodes: readonly number[],
  options: BalanceOptions,
): BalanceMove[] {
  const targets = nodes.filter(
    (at) => !nodeAt(state, at).offline && at !== primary && at !== secondary,
  );
  if (data.diskTemplate !== "drbd") {
    if (!options.instanceMoves) return [];
    return targets.map((target) => ({ kind: "failover-to-any", target }));
  }
  const canFlip = options.instanceMoves && !nodeAt(state, secondary).offline;
  const flip: BalanceMove[] = canFlip ? [{ kind: "failover" }] : [];
  if (!options.diskMoves) return flip;
  const leaving = nodeAt(state, primary).offline;
  const confined = options.restrictedMigration && !leaving;
  return [
    ...flip,
    ...targets.flatMap((target): BalanceMove[] => [
      { kind: "replace-secondary", target },
      ...(options.instanceMoves && !confined
        ? [{ kind: "replace-and-failover", target } as const]
        : []),
      ...(canFlip && !options.restrictedMigration
        ? [{ kind: "replace-primary", target } as const]
        : []),
      ...(canFlip && !confined ? [{ kind: "failover-and-replace", target } as const] : []),
    ]),
  ];
}

export function plainMove(
  state: State,
  instance: PlainInstance,
  move: BalanceMove,
  force: boolean,
): Step {
  switch (move.kind) {
    case "failover":
      return failOver(state, instance, force);
    case "failover-to-any":
      return moveAnywhere(state, instance, move.target, force);
    case "replace-secondary":
      return replaceSec(state, instance, move.target, force);
    default:
      return moveBoth(state, instance, move, force);
  }
}

const legal = (from: PlainNode, to: PlainNode) =>
  from.migration.every((tag) => to.receives.includes(tag));

/** The moves that take an instance off both nodes and put it on two again. */
function moveBoth(state: State, instance: PlainInstance, move: BalanceMove, force: boolean): Step {
  const { primary, secondary } = instance;
  const p = nodeAt(state, primary);
  const s = nodeAt(state, secondary);
  const left = replaced(
    state,
    [primary, removePri(p, instance)],
    [secondary, removeSec(s, instance)],
  );
  if (move.kind === "change-both") {
    return put(left, instance, move.primary, move.secondary, force, force);
  }
  if (move.kind === "replace-and-failover") {
    if (!legal(p, nodeAt(state, move.target))) return "FailMig";
    return put(left, instance, move.target, primary, force, force || s.offline);
  }
  const forced = force || p.offline;
  if (!legal(p, s)) return "FailMig";
  if (move.kind === "failover-and-replace") {
    return put(left, instance, secondary, move.target, forced, forced);
  }
  if (move.kind !== "replace-primary") throw new Error(`unexpected ${move.kind}`);
  if (!legal(s, nodeAt(state, move.target))) return "FailMig";
  const locationScore = shared(nodeAt(state, move.target), s);
  const meanwhile = addPri(nodeAt(left, secondary), { ...instance, locationScore }, forced);
  if (!isNode(meanwhile)) return meanwhile;
  return put(left, instance, move.target, secondary, forced, forced);
}

function put(
  state: State,
  instance: PlainInstance,
  primary: number,
  secondary: number,
  forcePrimary: boolean,
  forceSecondary: boolean,
): Step {
  const locationScore = shared(nodeAt(state, primary), nodeAt(state, secondary));
  const after = { ...instance, primary, secondary, locationScore };
  const first: PlainNode | MisfitName = addPri(nodeAt(state, primary), after, forcePrimary);
  if (!isNode(first)) return first;
  const second = addSec(nodeAt(state, secondary), after, primary, forceSecondary);
  if (!isNode(second)) return second;
  return { state: replaced(state, [primary, first], [secondary, second]), instance: after };
}
