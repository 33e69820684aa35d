/** Parameters converted from texts to their types. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import { typeError } from "../errors.js";
import { mebibytes } from "../parsing/size.js";

/** `text-or-none` accepts null as well, which differs from an empty text. */
export type ParameterType = "text" | "text-or-none" | "boolean" | "size" | "integer" | "number";

/**
 * The parameters with values of their types: booleans (`true`, `false`, without `yes`), sizes in
 * MiB. `allowed` are words that stay unchanged, whatever the type (`default`).
 *
 * @throws GanetiError for the first unknown or unsuitable one
 * Source: Ganeti, `utils.ForceDictType`.
 */
export function typed(
  given: JsonObject,
  types: Readonly<Record<string, ParameterType>>,
  allowed: readonly Json[] = [],
): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]): [string, Json] => {
      if (!Object.hasOwn(types, name)) throw typeError(`Unknown parameter '${name}'`);
      if (allowed.includes(value)) return [name, value];
      return [name, ofType(name, value, types[name] as ParameterType)];
    }),
  );
}

function ofType(name: string, value: Json, type: ParameterType): Json {
  const refuse = (what: string) =>
    typeError(`'${name}' (value ${pythonText(value)}) is not a valid ${what}`);
  switch (type) {
    case "text":
    case "text-or-none":
      if (value === null && type === "text-or-none") return null;
      if (typeof value === "string") return value;
      if (value === false) return "";
      throw refuse("string");
    case "boolean": {
      if (typeof value !== "string" || value === "") return Boolean(value);
      const word = value.toLowerCase();
      if (word === "true" || word === "false") return word === "true";
      throw refuse("boolean");
    }
    case "size":
      try {
        return mebibytes(pythonText(value));
      } catch (error) {
        throw refuse(`size. error: ${(error as Error).message}`);
      }
    case "integer":
      if (typeof value === "boolean") return Number(value);
      if (typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value)) return Number(value);
      throw refuse("integer");
    case "number":
      if (typeof value === "boolean") return Number(value);
      if (typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value))) {
        return Number(value);
      }
      throw refuse("float");
  }
}
