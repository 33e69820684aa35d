// Types of `wasm.js`, for tests.
export function sourceDigest(folder: URL): string;
