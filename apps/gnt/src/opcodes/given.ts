/** Opcodes are made of what was given: a parameter that was not given is not in them. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";

/** Without the keys whose value is undefined. */
export const given = (values: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as JsonObject;
