// Moving both copies of an instance by trying every ordered pair of targets.
import type { PlainInstance, State } from "./model.js";
import { failOver, isDone, lastBest, nodeAt, replaceSec, type Step } from "./moves.js";
import { plainScore } from "./score.js";

const names = {
  flip: "Failing over to the secondary",
  first: "Changing secondary to new primary",
  over: "Failing over to new primary",
  last: "Changing secondary to final secondary",
};

export type PlainPair = { readonly primary: number; readonly secondary: number } | string;

/** The pair, or the reason that Ganeti gives. */
export function movePairPlainly(
  state: State,
  instance: PlainInstance,
  scored: readonly number[],
  targets: readonly number[],
  force: boolean,
): PlainPair {
  const leaving = nodeAt(state, instance.primary).offline;
  const pairs = targets.flatMap((a) => targets.filter((b) => b !== a).map((b) => [a, b] as const));
  let reason = "no nodes available";
  const walked = pairs.flatMap(([a, b]) => {
    const steps: [string, (state: State, instance: PlainInstance) => Step][] = [
      ...(leaving ? [[names.flip, flip] as [string, typeof flip]] : []),
      [names.first, (now, one) => replaceSec(now, one, a, force)],
      [names.over, flip],
      [names.last, (now, one) => replaceSec(now, one, b, force)],
    ];
    let at = { state, instance };
    for (const [name, step] of steps) {
      const next = step(at.state, at.instance);
      if (!isDone(next)) {
        reason = `Allocation failed: ${name}: ${next}`;
        return [];
      }
      at = next;
    }
    return [at];
  });
  const best = lastBest(walked, (one) => plainScore(scored.map((at) => nodeAt(one.state, at))));
  if (best === undefined) return reason;
  return { primary: best.instance.primary, secondary: best.instance.secondary };

  function flip(now: State, one: PlainInstance): Step {
    return failOver(now, one, force);
  }
}
