// Allocation by trying everything: every node or pair is scored from scratch and tested step by step.
import { type MisfitName, misfitNames } from "../../src/fit/misfit.js";
import { type PlainInstance, type PlainNode, type State, shared } from "./model.js";
import { allCanBeEmptied, nodeAt, replaced } from "./moves.js";
import { addPri, addSec, isNode, policyRefusal } from "./place.js";
import { plainScore, type Replaced, updatedScore } from "./score.js";

export interface PlainSolution {
  /** As counted, in the order of printing: `FailMem: 4, FailDisk: 2`. */
  readonly failures: string;
  readonly successes: number;
  readonly nodes: readonly number[] | undefined;
  readonly score: number | undefined;
}

interface Candidate {
  readonly nodes: readonly number[];
  readonly score: number;
  readonly after: State;
}

interface Rules {
  readonly ignoreSoftErrors: boolean;
  readonly capacityChecks: boolean;
}

/** Searches the whole cluster; `rows` are lists of candidates, in each of which the best one that passes wins. */
export function allocatePlainly(
  state: State,
  instance: PlainInstance,
  candidates: readonly number[],
  copies: 1 | 2,
  { ignoreSoftErrors, capacityChecks }: Rules,
): PlainSolution {
  const counts = new Map<MisfitName, number>();
  const count = (name: MisfitName) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const everyNode = state.nodes.map((_, at) => at);
  const listedAs = state.instances.length;

  const single = (node: number): Candidate | MisfitName => {
    const added = primaryOn(node, 0);
    if (!isNode(added)) return added;
    const after = replaced(state, [node, added]);
    return { nodes: [node], score: plainScore(after.nodes), after };
  };
  const pair = (primary: number, secondary: number): Candidate | MisfitName => {
    const added = primaryOn(primary, shared(nodeAt(state, primary), nodeAt(state, secondary)));
    if (!isNode(added)) return added;
    const mirrored = addSec(nodeAt(state, secondary), instance, primary, false, { listedAs });
    if (!isNode(mirrored)) return mirrored;
    const changes: Replaced[] = [
      [primary, added],
      [secondary, mirrored],
    ];
    const score = updatedScore(state.nodes, changes);
    return { nodes: [primary, secondary], score, after: replaced(state, ...changes) };
  };

  const rows =
    copies === 1
      ? [candidates.map(single)]
      : candidates.map((primary) =>
          candidates.filter((node) => node !== primary).map((node) => pair(primary, node)),
        );
  let successes = 0;
  let winner: Candidate | undefined;
  for (const row of rows) {
    for (const tried of row) if (typeof tried === "string") count(tried);
    const feasible = row.filter((tried) => typeof tried !== "string");
    successes += feasible.length;
    for (const tried of bestFirst(feasible)) {
      if (capacityChecks && !allCanBeEmptied(withNewcomer(tried), everyNode, plainScore)) {
        count("FailN1");
        successes--;
        continue;
      }
      if (winner === undefined || !(winner.score < tried.score)) winner = tried;
      break;
    }
  }
  const failures = misfitNames
    .filter((name) => counts.has(name))
    .map((name) => `${name}: ${counts.get(name)}`);
  return {
    failures: failures.join(", "),
    successes,
    nodes: winner?.nodes,
    score: winner?.score,
  };

  function primaryOn(node: number, locationScore: number): PlainNode | MisfitName {
    const before = nodeAt(state, node);
    const refused = policyRefusal(before, instance);
    return refused ?? addPri(before, { ...instance, locationScore }, ignoreSoftErrors, listedAs);
  }

  /** The record itself keeps the index -1. */
  function withNewcomer({ nodes, after }: Candidate): State {
    const [primary, secondary = -1] = nodes as [number, number?];
    const locationScore =
      secondary < 0 ? 0 : shared(nodeAt(state, primary), nodeAt(state, secondary));
    const newcomer = { ...instance, primary, secondary, locationScore };
    return { ...after, instances: [...after.instances, newcomer] };
  }
}

/** Rising score; the later candidate first among equals. */
const bestFirst = (row: readonly Candidate[]): Candidate[] =>
  row.toReversed().sort((a, b) => (a.score === b.score ? 0 : a.score - b.score));
