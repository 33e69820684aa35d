/** Parameters that are there but say nothing. */
import * as z from "zod";
import type { Json, JsonObject } from "../jobs/json-value.js";

/**
 * The parameters without those that stand for "not given": null, and the empty text where only names or
 * words of a list make sense. Only optional parameters; a null in place of another one stays and is a fault.
 */
export function withoutBlanks(shape: z.core.$ZodLooseShape, given: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !isBlank(shape[name], value)),
  );
}

function isBlank(schema: unknown, value: Json): boolean {
  if (!(schema instanceof z.ZodOptional)) return false;
  return value === null || (value === "" && !schema.safeParse("").success);
}
