// What tests use of `wasm.js`.
export function sourceDigest(folder: URL): string;
