/**
 * Loops of large requests as WebAssembly (`../../wasm/kernel.ts`). Where there is none the same is done
 * in JavaScript.
 */
import { kernelCode } from "./kernel-code.js";

// Part of Node and of browsers, not of the language's own library.
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: object };
};

export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Makes room for so many bytes, 0 at first; gives where they begin, 0 if there is not enough memory. */
  reserve(bytes: number): number;
  /** Gives 1 if all sums are right, else 0. Masks have a bit for each position of a list. */
  countSeats(
    at: number,
    nodes: number,
    instances: number,
    localTemplates: number,
    movingTemplates: number,
    runningStatuses: number,
    presentStatuses: number,
  ): number;
  countEmptying(
    nodes: number,
    mirroredTemplates: number,
    runningStatuses: number,
    memoryMargin: number,
    diskMargin: number,
    verdicts: number,
    arriving: number,
  ): void;
  layOutPairs(
    at: number,
    primaries: number,
    secondaries: number,
    nodes: number,
    skips: number,
  ): void;
  /** Gives 1 if there is a pair, which the others then tell; else 0. */
  findPair(onlineCount: number, primaries: number, secondaries: number, nodes: number): number;
  bestPairPrimary(): number;
  bestPairSecondary(): number;
  lowestScore(): number;
}

let compiled: object | undefined;

/** With a memory of its own. Undefined where there is no WebAssembly. */
export function makeKernel(): Kernel | undefined {
  try {
    compiled ??= new WebAssembly.Module(new Uint8Array(JSON.parse(kernelCode)));
    return new WebAssembly.Instance(compiled).exports as Kernel;
  } catch {
    return undefined; // switched off, or out of memory
  }
}
