/** Keys of the message that the allocator does not read. */
import type * as z from "zod";

/**
 * A key that carries `schema` for whoever wants it, but can be missing or hold anything: what does
 * not fit is left out instead of refused, because Ganeti's allocator never looks at it.
 */
export function ignored<T extends z.ZodType>(schema: T) {
  return schema.nullish().catch(undefined);
}
