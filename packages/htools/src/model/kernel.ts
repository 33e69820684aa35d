/**
 * Inner loops of large requests in WebAssembly (`../../wasm/kernel.ts`), with an equivalent in JavaScript for
 * engines without it.
 */
import { kernelCode } from "./kernel-code.js";

// Provided by Node and browsers, not by the language's standard library.
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: object };
};

export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Reserves this many bytes, initially 0; returns their start, or 0 if there is not enough memory. */
  reserve(bytes: number): number;
  /** Returns 1 if all sums are exact, otherwise 0. Masks have a bit for each position of a list. */
  countInstances(
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

/** A kernel with a memory of its own. Undefined without WebAssembly. */
export function makeKernel(): Kernel | undefined {
  try {
    compiled ??= new WebAssembly.Module(new Uint8Array(JSON.parse(kernelCode)));
    return new WebAssembly.Instance(compiled).exports as Kernel;
  } catch {
    return undefined; // WebAssembly is disabled, or memory is exhausted
  }
}
