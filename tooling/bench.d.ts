// Types of `bench.js`, for benchmarks.
export function helpIfAsked(source: string | URL): void;
/** With three significant digits. */
export function rounded(value: number): number;
export function recordIfAsked(file: string, figures: object): void;
export function thisMachine(): {
  readonly machine: string;
  /** See `pace.js`. */
  readonly pace: { readonly additionNs: number; readonly readNs: number };
  readonly node: string;
};
