/**
 * Loops of large requests as WebAssembly (`../../wasm/kernel.ts`). Each use has its own memory. Where
 * there is none the same is done in JavaScript.
 */
import { kernelCode } from "./kernel-code.js";

// Part of Node and of browsers, not of the language's own library.
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: object };
};

export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Makes room for so many bytes, all 0; gives where they begin, 0 if there is not enough memory. */
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
}

let compiled: object | undefined;

/** Undefined where there is no WebAssembly. */
export function makeKernel(): Kernel | undefined {
  try {
    compiled ??= new WebAssembly.Module(new Uint8Array(JSON.parse(kernelCode)));
    return new WebAssembly.Instance(compiled).exports as Kernel;
  } catch {
    return undefined; // switched off, or out of memory
  }
}
