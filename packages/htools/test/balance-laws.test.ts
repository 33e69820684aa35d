// Laws of balancing over many steps, where it looks only at what earlier steps left worth a look.
// Seen to fail with bounds that are not kept up for targets a step touched, and with reservations
// that are moved one node at a time.
import { messages, randomRuns, sameEachTime, type Traits } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type BalanceMove,
  balance,
  balanceDefaults,
  balanceInParts,
  groupView,
  loadCluster,
} from "../src/index.js";
import { scoreOf } from "../src/score/score-board.js";
import { plainMove, stepPlainly } from "./oracle/balance.js";
import { type PlainInstance, plainState, type State } from "./oracle/model.js";
import { isDone, nodeAt } from "./oracle/moves.js";
import { plainScore } from "./oracle/score.js";
import { snapshot } from "./snapshot.js";

const sensible: Partial<Traits> = { hypervisor: "xen-pvm", zeroSizes: false };

test("every step lowers the score, the last state is the one reported, and it ends", () => {
  const seen = { steps: 0, longest: 0, ends: new Set<string>() };
  const inputs = [messages("allocate", sensible, 12), fc.boolean()] as const;
  const property = fc.property(...inputs, ({ message }, preferForthcoming) => {
    const cluster = loadCluster(message.cluster);
    const view = groupView(cluster, 0);
    let score = scoreOf(cluster, view.nodes);
    const steps = balance(cluster, view, { preferForthcoming });
    let made = 0;
    for (;;) {
      const next = steps.next();
      if (next.done) {
        seen.ends.add(next.value.ended);
        expect(next.value.steps).toBe(made);
        expect(next.value.finalScore).toBe(score);
        break;
      }
      const { scoreBefore, score: after, from, to, index } = next.value;
      expect(scoreBefore).toBe(score);
      expect(after).toBeLessThan(score);
      expect(scoreOf(cluster, view.nodes)).toBe(after);
      expect([from.primary, from.secondary]).not.toEqual([to.primary, to.secondary]);
      expect(cluster.primaryOf[index]).toBe(to.primary);
      score = after;
      made++;
    }
    expect(cluster.mark(), "all that was tried is taken back").toBe(0);
    seen.steps += made;
    seen.longest = Math.max(seen.longest, made);
  });
  fc.assert(property, {
    numRuns: randomRuns(300),
    examples: sameEachTime(fc.tuple(...inputs), 50),
  });
  expect(seen.steps).toBeGreaterThan(randomRuns(300));
  expect(seen.longest).toBeGreaterThan(10);
  expect(seen.ends.has("no gain")).toBe(true);
});

test("on larger clusters, too, each of many steps is the best of all moves", () => {
  const seen = { steps: 0 };
  const larger = messages("allocate", { ...sensible, templates: ["drbd", "ext"] }, 14);
  const property = fc.property(larger, fc.boolean(), ({ message }, ignoreSoftErrors) => {
    const options = { ...balanceDefaults, ignoreSoftErrors, minGain: 0 };
    const cluster = loadCluster(message.cluster);
    const view = groupView(cluster, 0);
    fc.pre(view.nodes.length > 6);
    let state = plainState(message.cluster);
    let made = 0;
    for (const step of balance(cluster, view, { ...options, stepsMax: 8 })) {
      const expected = stepPlainly(state, view.nodes, view.instances, options);
      const { index, move, score } = step;
      expect({ made, index, move, score }).toEqual({
        made: made++,
        index: expected?.index,
        move: expected?.move,
        score: expected?.score,
      });
      if (expected) state = expected.after;
      seen.steps++;
    }
  });
  fc.assert(property, { numRuns: randomRuns(48) });
  expect(seen.steps).toBeGreaterThan(20);
});

test("a preferred reservation makes the best of its moves, those to two other nodes included", () => {
  const seen = { both: 0, usual: 0, real: 0 };
  const reserved = messages("allocate", { ...sensible, forthcoming: true, templates: ["drbd"] });
  const property = fc.property(reserved, fc.boolean(), ({ message }, ignoreSoftErrors) => {
    const options = { ...balanceDefaults, ignoreSoftErrors, preferForthcoming: true, stepsMax: 1 };
    const cluster = loadCluster(message.cluster);
    const view = groupView(cluster, 0);
    const state = plainState(message.cluster);
    const scoreBefore = scoreOf(cluster, view.nodes);
    const [step] = balance(cluster, view, { ...options, minGain: 0 });
    const planned = view.instances.filter((at) => state.instances[at]?.forthcoming);
    const usual = stepPlainly(state, view.nodes, planned, options);
    let lowest = usual?.score ?? scoreBefore;
    let best = usual && { index: usual.index, move: usual.move };
    for (const index of planned) {
      for (const move of toTwoOthers(state, view.nodes, index)) {
        const instance = state.instances[index] as PlainInstance;
        const moved = plainMove(state, instance, move, ignoreSoftErrors);
        if (!isDone(moved)) continue;
        const score = plainScore(view.nodes.map((at) => nodeAt(moved.state, at)));
        if (score < lowest) {
          lowest = score;
          best = { index, move };
        }
      }
    }
    if (best === undefined) {
      if (step) seen.real++;
      expect(step && cluster.instances[step.index]?.forthcoming).toBeFalsy();
      return;
    }
    expect(step?.score).toBe(lowest);
    if (best.move.kind === "change-both") seen.both++;
    else seen.usual++;
    expect(cluster.instances[step?.index as number]?.forthcoming).toBe(true);
  });
  fc.assert(property, { numRuns: randomRuns(300) });
  expect(Math.min(seen.both, seen.usual, seen.real)).toBeGreaterThan(5);
});

function toTwoOthers(state: State, nodes: readonly number[], index: number): BalanceMove[] {
  const { primary, secondary } = state.instances[index] as PlainInstance;
  const targets = nodes.filter(
    (at) => !nodeAt(state, at).offline && at !== primary && at !== secondary,
  );
  return targets.flatMap((first) =>
    targets
      .filter((at) => at !== first)
      .map((second) => ({ kind: "change-both", primary: first, secondary: second }) as const),
  );
}

test("balancing in parts makes the same steps, and begins with a report of progress", () => {
  const seen = { steps: 0 };
  fc.assert(
    fc.property(messages("allocate", sensible, 10), ({ message }) => {
      const view = groupView(loadCluster(message.cluster), 0);
      const steps = [...balance(loadCluster(message.cluster), view, { minGain: 0, stepsMax: 5 })];
      const cluster = loadCluster(message.cluster);
      const parts = [...balanceInParts(cluster, view, { minGain: 0, stepsMax: 5 })];
      expect(parts.flatMap((part) => (part.kind === "step" ? [part.step] : []))).toEqual(steps);
      if (steps.length > 0)
        expect(parts[0]).toMatchObject({ kind: "progress", progress: { steps: 0 } });
      seen.steps += steps.length;
    }),
    { numRuns: 50 },
  );
  expect(seen.steps).toBeGreaterThan(50);
});

test("a balancing that is aborted within the search for a step ends without it", () => {
  const seen = { aborted: 0 };
  fc.assert(
    fc.property(messages("allocate", sensible, 10), ({ message }) => {
      const cluster = loadCluster(message.cluster);
      const before = snapshot(cluster);
      const signal = { aborted: false };
      const parts = balanceInParts(cluster, groupView(cluster, 0), {}, signal);
      const first = parts.next();
      if (first.done) return;
      expect(first.value.kind).toBe("progress");
      signal.aborted = true;
      const second = parts.next();
      expect(second.done && second.value).toMatchObject({ ended: "aborted", steps: 0 });
      expect(snapshot(cluster)).toEqual(before);
      seen.aborted++;
    }),
    { numRuns: 50 },
  );
  expect(seen.aborted).toBeGreaterThan(20);
});

test("an aborted balancing stops after the step it has made, and tells so", () => {
  const seen = { aborted: 0 };
  fc.assert(
    fc.property(messages("allocate", sensible, 10), ({ message }) => {
      const cluster = loadCluster(message.cluster);
      const view = groupView(cluster, 0);
      const signal = { aborted: false };
      let reports = 0;
      const onProgress = () => {
        reports++;
      };
      const steps = balance(cluster, view, {}, { signal, onProgress });
      const first = steps.next();
      if (first.done) return;
      expect(reports).toBeGreaterThan(0);
      const before = snapshot(cluster);
      signal.aborted = true;
      const second = steps.next();
      expect(second.done).toBe(true);
      expect(snapshot(cluster)).toEqual(before);
      // It may have been over anyway.
      if (second.done && second.value.ended === "optimum") return;
      expect(second.done && second.value.ended).toBe("aborted");
      seen.aborted++;
    }),
  );
  expect(seen.aborted).toBeGreaterThan(20);
});
