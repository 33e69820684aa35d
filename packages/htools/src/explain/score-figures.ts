/** Numbers as an explanation carries them. */
import type { Figure, Score } from "@ganeti-ts/protocol";
import { components, weights } from "../score/metrics.js";

/** JSON has no notation for what is no number. */
export function figure(value: number): Figure {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

/** @param values each component's statistic, unweighted */
export function scoreFrom(values: Float64Array): Score {
  let total = 0;
  const terms = components.map(({ name }, index) => {
    const weighted = (weights[index] as number) * (values[index] as number);
    total += weighted;
    return [name, figure(weighted)] as const;
  });
  return { total: figure(total), terms: Object.fromEntries(terms) as Score["terms"] };
}

/** The score of no node at all. */
export const noScore = (): Score => scoreFrom(new Float64Array(components.length));
