/**
 * The loops of a request that are long where the cluster is large, as WebAssembly: a program that
 * answers one message ends before JavaScript is compiled, this is compiled beforehand.
 *
 * The language is AssemblyScript; `build.js` turns this folder into `../src/model/kernel-code.ts`, which
 * `../src/model/kernel.ts` loads. All results are those of the JavaScript that they stand for: sums of whole
 * numbers, which are the same in any order, and of others in the same order.
 */
export { countEmptying } from "./emptying";
export { layOutPairs } from "./pair-layout";
export { bestPairPrimary, bestPairSecondary, findPair, lowestScore } from "./pairs";
export { countSeats } from "./seats";

/** Makes room for so many bytes, 0 at first; gives where they begin, 0 if there is not enough memory. */
export function reserve(bytes: u32): usize {
  const begin = (__heap_base + 15) & ~7;
  const missing = <i32>((begin + bytes) / 65536 + 1) - memory.size();
  return missing > 0 && memory.grow(missing) < 0 ? 0 : begin;
}
