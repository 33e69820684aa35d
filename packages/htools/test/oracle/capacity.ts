// Capacity by Ganeti's own recursion: every size tried in full, every step as written down.
import { type MisfitName, misfitNames } from "../../src/fit/misfit.js";
import { allocatePlainly } from "./allocate.js";
import { type PlainInstance, type State, shared } from "./model.js";
import { allCanBeEmptied, nodeAt, replaced } from "./moves.js";
import { addPri, addSec, isNode } from "./place.js";
import { plainScore } from "./score.js";

export interface PlainSpec {
  readonly memoryMib: number;
  readonly diskMib: number;
  readonly vcpus: number;
  readonly spindles: number;
}

export interface PlainPlaced {
  readonly spec: PlainSpec;
  readonly nodes: readonly number[];
}

export interface PlainRun {
  readonly failures: readonly (readonly [MisfitName, number])[];
  readonly state: State;
  readonly placed: readonly PlainPlaced[];
}

export interface PlainScope {
  readonly candidates: readonly number[];
  readonly copies: 1 | 2;
  readonly capacityChecks: boolean;
  readonly instanceOf: (spec: PlainSpec, index: number) => PlainInstance;
}

type Limit = number | undefined;

interface Tried {
  readonly failures: PlainRun["failures"];
  readonly nodes: readonly number[] | undefined;
}

function tryOne(scope: PlainScope, state: State, instance: PlainInstance, checked: boolean): Tried {
  const { candidates, copies } = scope;
  const rules = { ignoreSoftErrors: false, capacityChecks: checked };
  const { failures, nodes } = allocatePlainly(state, instance, candidates, copies, rules);
  const counts = new Map(failures.split(", ").map((part) => part.split(": ") as [string, string]));
  return { failures: misfitNames.map((name) => [name, Number(counts.get(name) ?? 0)]), nodes };
}

function put(state: State, instance: PlainInstance, nodes: readonly number[]): State {
  const [primary, secondary = -1] = nodes as [number, number?];
  const both = secondary >= 0;
  const locationScore = both ? shared(nodeAt(state, primary), nodeAt(state, secondary)) : 0;
  const placed = { ...instance, primary, secondary, locationScore };
  const first = addPri(nodeAt(state, primary), placed, true);
  const second = both ? addSec(nodeAt(state, secondary), placed, primary, true) : undefined;
  if (!isNode(first) || (second !== undefined && !isNode(second))) throw new Error("does not fit");
  const after = replaced(
    state,
    [primary, first],
    ...(second ? [[secondary, second] as const] : []),
  );
  return { ...after, instances: [...state.instances, placed] };
}

function smallSteps(
  scope: PlainScope,
  { state, placed }: PlainRun,
  spec: PlainSpec,
  limit: Limit,
  checked: boolean,
): PlainRun {
  const instance = scope.instanceOf(spec, state.instances.length);
  const tried = tryOne(scope, state, instance, checked && scope.copies === 1);
  const { failures, nodes } = tried;
  if (nodes === undefined || limit === 0) return { failures, state, placed };
  const next = {
    failures,
    state: put(state, instance, nodes),
    placed: [...placed, { spec, nodes }],
  };
  return smallSteps(scope, next, spec, limit === undefined ? undefined : limit - 1, checked);
}

export function fixedPlainly(
  scope: PlainScope,
  start: PlainRun,
  spec: PlainSpec,
  limit: Limit,
  huge = true,
): PlainRun {
  if (!scope.capacityChecks) return smallSteps(scope, start, spec, limit, false);
  const { nodes } = start.state;
  const available = nodes.reduce((sum, one) => sum + Math.max(0, one.memory - one.reserved), 0);
  const guess = Math.floor(available / spec.memoryMib) - nodes.length;
  const step = huge ? Math.max(20, guess) : 10;
  const most = limit === undefined ? step : Math.min(step, limit);
  const left = limit === undefined ? undefined : Math.max(0, limit - step);
  const done = smallSteps(scope, start, spec, most, false);
  if (allCanBeEmptied(done.state, [...nodes.keys()], plainScore)) {
    if (left === 0 || done.placed.length === start.placed.length) return done;
    return fixedPlainly(scope, done, spec, left, huge);
  }
  if (huge) return fixedPlainly(scope, start, spec, limit, false);
  return smallSteps(scope, start, spec, limit, true);
}

export function tieredPlainly(
  scope: PlainScope,
  start: PlainRun,
  spec: PlainSpec,
  limit: Limit,
): PlainRun {
  const here = fixedPlainly(scope, start, spec, limit);
  const total = here.placed.length;
  if (limit !== undefined && limit <= total) return here;
  const left = limit === undefined ? undefined : limit - total;
  const rising = here.failures.toSorted(([, a], [, b]) => a - b).map(([name]) => name);
  const smaller = shrinkPlainly(spec, rising.at(-1) as MisfitName);
  const below = smaller && tieredPlainly(scope, here, smaller, left);
  if (below && below.placed.length > total) return below;
  for (const reason of rising.toReversed()) {
    const found = sufficient(scope, here.state, spec, reason);
    if (found) return tieredPlainly(scope, here, found, left);
  }
  return here;
}

function sufficient(
  scope: PlainScope,
  state: State,
  spec: PlainSpec,
  reason: MisfitName,
): PlainSpec | undefined {
  for (let size = spec; ; ) {
    const smaller = shrinkPlainly(size, reason);
    if (smaller === undefined) return undefined;
    const { failures, nodes } = tryOne(
      scope,
      state,
      scope.instanceOf(size, -1),
      scope.capacityChecks,
    );
    if (nodes !== undefined) return size;
    if (!failures.some(([name, count]) => name === reason && count > 0)) return undefined;
    size = smaller;
  }
}

export function shrinkPlainly(spec: PlainSpec, reason: MisfitName): PlainSpec | undefined {
  const less = (key: keyof PlainSpec, step: number) =>
    spec[key] - step < step ? undefined : { ...spec, [key]: spec[key] - step };
  if (reason === "FailMem") return less("memoryMib", 64);
  if (reason === "FailDisk") return less("diskMib", 256);
  if (reason === "FailCPU") return less("vcpus", 1);
  return reason === "FailSpindles" ? less("spindles", 1) : undefined;
}
