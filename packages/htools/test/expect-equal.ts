// Equality of large values: `toEqual` takes many times as long to find none of their parts different.
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** `expect(found, why).toEqual(expected)`. */
export function expectEqual<T>(found: T, expected: NoInfer<T>, why?: string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, why).toEqual(expected);
}
