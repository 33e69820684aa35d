/** Schema wrapper for keys of the message that the allocator ignores. */
import type * as z from "zod";

/**
 * A key documented with `schema` that may be missing or hold anything: values that do not match are dropped
 * instead of refused, because Ganeti's allocator ignores the key.
 */
export function ignored<T extends z.ZodType>(schema: T) {
  return schema.nullish().catch(undefined);
}
