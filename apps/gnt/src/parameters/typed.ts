/** Parameters as people write them, turned into the types that they have. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import { typeError } from "../errors.js";
import { mebibytes } from "../parsing/size.js";

/** `text-or-none` takes null besides text: nothing at all, where an empty text is something. */
export type ParameterType = "text" | "text-or-none" | "boolean" | "size" | "integer" | "number";

/**
 * The parameters with the values that their types ask for: `yes`-less booleans (`true`, `false`), sizes in MiB.
 * `allowed` are words that stay as they are, whatever the type (`default`).
 *
 * @throws GanetiError of the first that is unknown or does not fit
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
