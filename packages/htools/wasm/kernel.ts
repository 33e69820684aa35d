/**
 * Inner loops of requests on large clusters, as WebAssembly: a program that answers one message ends before
 * its JavaScript is optimised, while WebAssembly is compiled ahead of time.
 *
 * The language is AssemblyScript; `build.js` turns this folder into `../src/model/kernel-code.ts`, which
 * `../src/model/kernel.ts` loads. All results equal those of the JavaScript they replace: sums of integers
 * are the same in any order.
 */
export { countEmptying } from "./emptying";
export { countInstances } from "./instance-totals";

/** Reserves this many bytes, initially 0; returns their start, or 0 if there is not enough memory. */
export function reserve(bytes: u32): usize {
  const begin = (__heap_base + 15) & ~7;
  const missing = <i32>((begin + bytes) / 65536 + 1) - memory.size();
  return missing > 0 && memory.grow(missing) < 0 ? 0 : begin;
}
