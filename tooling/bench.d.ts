// What benchmarks use of `bench.js`.
export function helpIfAsked(source: string | URL): void;
export function recordIfAsked(file: string, figures: object): void;
