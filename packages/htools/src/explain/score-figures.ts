/** Numbers of an explanation, with names for values that JSON lacks. */
import type { Figure, Score } from "@ganeti-ts/protocol";
import { components, weights } from "../score/metrics.js";

/** Values that are not finite are written by name. */
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

/** The score of an empty list of nodes. */
export const noScore = (): Score => scoreFrom(new Float64Array(components.length));
