/** The same messages for fast-check; they shrink by size, the seed stays. */
import * as fc from "fast-check";
import type { Shape } from "./random-cluster.js";
import { messageOfShape, type RandomMessage, type RequestType } from "./random-message.js";
import type { Traits } from "./traits.js";

export const shapes = (nodesMax = 7): fc.Arbitrary<Shape> =>
  fc.record({
    seed: fc.nat(),
    groupCount: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 3 })),
    nodeCount: fc.integer({ min: 1, max: nodesMax }),
    instanceCount: fc.nat({ max: 2 * nodesMax }),
  });

/** @param change traits that the test decides instead of chance */
export const messages = (
  type: RequestType,
  change: Partial<Traits> = {},
  nodesMax = 7,
): fc.Arbitrary<RandomMessage & { readonly shape: Shape }> =>
  shapes(nodesMax).map((shape) => ({ shape, ...messageOfShape(shape, type, change) }));

/**
 * Some that are the same every time, for the `examples` of a property: what a test demands to have seen
 * it then has seen, whatever chance brings.
 */
export const sameEachTime = <T>(arbitrary: fc.Arbitrary<T>, count: number): T[] =>
  fc.sample(arbitrary, { seed: 1, numRuns: count });
