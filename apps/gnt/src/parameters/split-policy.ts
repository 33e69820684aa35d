/** Instance limits from single options, the `--specs-…` of `gnt-cluster init`. */
import { defaultPolicy } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import { prereqError, typeError } from "../errors.js";
import type { OptionValues } from "../invocation.js";
import { mebibytes } from "../parsing/size.js";
import { wholeNumber } from "./policy.js";

/** Resource that each option limits. */
const specs = {
  "specs-cpu-count": "cpu-count",
  "specs-disk-count": "disk-count",
  "specs-disk-size": "disk-size",
  "specs-mem-size": "memory-size",
  "specs-nic-count": "nic-count",
} as const;

const sizes: readonly string[] = ["disk-size", "memory-size"];
const keys = ["min", "max", "std"] as const;

/** Default limits with the given ones. Undefined if none is given. @throws GanetiError */
export function splitPolicyOf(options: OptionValues): JsonObject | undefined {
  const names = Object.keys(specs) as (keyof typeof specs)[];
  if (!names.some((name) => options.has(name))) return undefined;
  if (options.has("ipolicy-bounds-specs") || options.has("ipolicy-std-specs")) {
    throw prereqError(
      "A --specs-xxx option cannot be specified together with any --ipolicy-xxx-specs option",
    );
  }
  const { minmax, std } = defaultPolicy([]);
  const [bounds] = minmax;
  const filled: Record<(typeof keys)[number], Record<string, number>> = {
    min: { ...bounds?.min },
    max: { ...bounds?.max },
    std: { ...std },
  };
  for (const name of names) {
    for (const [key, value] of Object.entries(options.keyValues(name) ?? {})) {
      const which = keys.find((one) => one === key);
      if (which === undefined) throw typeError(`Unknown parameter '${key}'`);
      filled[which][specs[name]] = number(specs[name], key, String(value));
    }
  }
  return { minmax: [{ min: filled.min, max: filled.max }], std: filled.std };
}

function number(spec: string, key: string, text: string): number {
  if (!sizes.includes(spec)) return wholeNumber(key, text);
  try {
    return mebibytes(text);
  } catch (error) {
    throw prereqError(`Invalid disk or memory size in policy: ${(error as Error).message}`);
  }
}
