/**
 * Building blocks of opcode parameters. Numbers, sizes and booleans are also accepted as text, because
 * clients send them that way.
 */
import * as z from "zod";
import type { Json } from "../jobs/json-value.js";

export const text = z.string();
export const nonEmpty = z.string().min(1);

/** Any JSON value; the operation checks its contents. */
export const anything = z.unknown() as unknown as z.ZodType<Json, Json>;
/** An object whose keys the operation checks: parameters of an OS, a back end, a policy. */
export const dict = z.record(z.string(), anything);

export const mapOf = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);
export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item);

/** true and false, also as words such as `"true"` and `"no"`, in any case. */
export const flag = z.union([
  z.boolean(),
  z.stringbool({ truthy: ["true", "yes"], falsy: ["false", "no"] }),
]);

/** An integer from `min` to `max`; digits in a string are accepted. */
function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  const number = z.int().min(min).max(max);
  return z.union([
    number,
    z
      .string()
      .regex(/^[+-]?\d+$/)
      .transform(Number)
      .pipe(number),
  ]);
}

export const whole = integer(Number.MIN_SAFE_INTEGER);
export const natural = integer(0);
export const positive = integer(1);
/** An instance has at most 16 disks. */
export const diskIndex = integer(0, 15);

/** Any number; digits in a string are accepted. */
export const fraction = z.union([
  z.number(),
  z
    .string()
    .regex(/^[+-]?(?:\d+\.?\d*|\.\d+)$/)
    .transform(Number)
    .pipe(z.number()),
]);

const unitText = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i;
const mibOf: Readonly<Record<string, number>> = {
  "": 1,
  m: 1,
  mb: 1,
  mib: 1,
  g: 1024,
  gb: 1024,
  gib: 1024,
  t: 1024 * 1024,
  tb: 1024 * 1024,
  tib: 1024 * 1024,
};

/**
 * A size with its unit, in MiB: `"10g"` is 10240, `"1.5t"` 1572864, `"512"` 512. Rounded up to an integer,
 * then to a multiple of 4. Undefined if it is not a size, or too large. Source: Ganeti, `utils.ParseUnit`.
 */
export function parseSize(given: string): number | undefined {
  const [, digits = "", unit = ""] = unitText.exec(given) ?? [];
  const factor = mibOf[unit.toLowerCase()];
  if (digits === "" || factor === undefined) return undefined;
  const size = Math.ceil(Math.ceil(Number(digits) * factor) / 4) * 4;
  return Number.isSafeInteger(size) ? size : undefined;
}

const sizeText = z.string().transform((given, context) => {
  const size = parseSize(given);
  if (size !== undefined) return size;
  context.addIssue({ code: "custom", message: "is no size" });
  return z.NEVER;
});

/** MiB; a number is used unchanged, a text may have a unit. */
export const sizeMib = z.union([z.int().nonnegative(), sizeText]);
