/** Arbitraries of random messages for fast-check; they shrink by size and keep the seed. */
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

/** @param change traits set by the test instead of chosen at random */
export const messages = (
  type: RequestType,
  change: Partial<Traits> = {},
  nodesMax = 7,
): fc.Arbitrary<RandomMessage & { readonly shape: Shape }> =>
  shapes(nodesMax).map((shape) => ({ shape, ...messageOfShape(shape, type, change) }));

/**
 * Values that are the same in every run, for the `examples` of a property: cases that a test must have seen
 * then occur always.
 */
export const sameEachTime = <T>(arbitrary: fc.Arbitrary<T>, count: number): T[] =>
  fc.sample(arbitrary, { seed: 1, numRuns: count });
