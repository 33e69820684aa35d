/** Removal of parameters that are present but empty. */
import * as z from "zod";
import type { Json, JsonObject } from "../jobs/json-value.js";

/**
 * The parameters without values that mean "not given": null, and the empty text for names and choices.
 * Applies only to optional parameters; null for another parameter is a fault.
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
