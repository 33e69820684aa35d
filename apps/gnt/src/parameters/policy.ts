/** Values of `ipolicy` in opcodes, from the options about instance policies. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonLiteral } from "@ganeti-ts/protocol";
import { prereqError, typeError, UsageError } from "../errors.js";
import type { OptionValues } from "../invocation.js";
import { given } from "../opcode.js";
import { mebibytes } from "../parsing/size.js";

const sizes = ["memory-size", "disk-size"];
const counts = ["cpu-count", "disk-count", "nic-count", "spindle-use"];
/** In the order in which missing ones are reported. */
const specNames = [...counts, ...sizes].sort();

/**
 * `group` accepts `default` for limits and ratios, and has no standard size. Undefined if no option
 * is given. @throws GanetiError, UsageError
 */
export function policyOf(
  options: OptionValues,
  whose: "cluster" | "group",
): JsonObject | undefined {
  const standard = whose === "cluster" ? options.keyValues("ipolicy-std-specs") : undefined;
  const policy = given({
    minmax: bounds(options, whose),
    std: standard === undefined ? undefined : spec(standard, "std", false),
    "disk-templates": options.list("ipolicy-disk-templates") as Json | undefined,
    "vcpu-ratio": ratio(options, "ipolicy-vcpu-ratio", whose),
    "spindle-ratio": ratio(options, "ipolicy-spindle-ratio", whose),
  });
  return Object.keys(policy).length === 0 ? undefined : policy;
}

function bounds(options: OptionValues, whose: "cluster" | "group"): Json | undefined {
  const pairs = options.manyIdKeyValues("ipolicy-bounds-specs");
  if (pairs === undefined) return undefined;
  const [only] = pairs;
  const ids = Object.keys(only ?? {});
  const isDefault = pairs.length === 1 && ids.length === 1 && ids[0] === "default";
  if (whose === "group" && isDefault && Object.keys(only?.default ?? {}).length === 0) {
    return "default";
  }
  return pairs.map((pair) =>
    Object.fromEntries(
      Object.entries(pair).map(([key, values]) => {
        if (key !== "min" && key !== "max") {
          throw prereqError(`Invalid key in bounds instance specifications: ${key}`);
        }
        return [key, spec(values, key, true)];
      }),
    ),
  );
}

/** Converts sizes with units to MiB, and all values to whole numbers. @throws GanetiError */
function spec(values: JsonObject, which: string, complete: boolean): JsonObject {
  const typed = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, specValue(key, value as Json, which)]),
  );
  const missing = specNames.filter((name) => !Object.hasOwn(typed, name));
  if (complete && missing.length > 0) {
    throw prereqError(`Missing parameters in ipolicy spec ${which}: ${missing.join(", ")}`);
  }
  return typed;
}

function specValue(key: string, value: Json, which: string): number {
  if (sizes.includes(key)) {
    try {
      return mebibytes(String(value));
    } catch (error) {
      throw prereqError(
        `Invalid parameter ${key} (${value}) in ${which} instance specs: ${(error as Error).message}`,
      );
    }
  }
  if (!counts.includes(key)) throw typeError(`Unknown parameter '${key}'`);
  return wholeNumber(key, value);
}

/** @throws GanetiError TypeEnforcementError */
export function wholeNumber(key: string, value: Json): number {
  if (/^\s*[+-]?\d+\s*$/.test(String(value))) return Number(value);
  throw typeError(`'${key}' (value ${value}) is not a valid integer`);
}

function ratio(options: OptionValues, name: string, whose: "cluster" | "group"): Json | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  if (text.toLowerCase() === "default" && whose === "group") return "default";
  if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  throw new UsageError(`option --${name}: invalid floating-point value: ${pythonLiteral(text)}`);
}
