// Types of `bench.js`, for benchmarks.
export function helpIfAsked(source: string | URL): void;
export function recordIfAsked(file: string, figures: object): void;
