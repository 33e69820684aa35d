/** One entry of the catalog: schemas of arguments and value, and how a call is sent. */
import type { Json } from "@ganeti-ts/protocol";
import * as z from "zod";

/**
 * Timeout (s) of each class of calls. `test_delay` is the only call outside the classes: it takes
 * the requested seconds plus 5.
 */
export const timeoutSeconds = {
  urgent: 60,
  fast: 300,
  normal: 900,
  slow: 3600,
  fourHours: 14_400,
  oneDay: 86_400,
} as const;
/** Class of a call's timeout, by the table of seconds. */
export type TimeoutClass = keyof typeof timeoutSeconds;

/**
 * Effect of repeating a call with the same arguments:
 *
 * | value | meaning |
 * |---|---|
 * | `looks` | the call changes nothing |
 * | `same` | the node ends in the same state as after one call; what was half done is completed |
 * | `again` | each repetition acts again: a caller that got no answer looks before it repeats |
 */
type Repeat = "looks" | "same" | "again";

/** Definition of one call: schemas of its arguments and value, timeout and effect of a repetition. */
export interface CatalogEntry<
  Arguments extends z.ZodType = z.ZodType,
  Value extends z.ZodType = z.ZodType,
> {
  readonly arguments: Arguments;
  readonly value: Value;
  readonly timeout: TimeoutClass;
  readonly repeat: Repeat;
}

/** A call whose arguments have this schema. */
export const callOf = <Arguments extends z.ZodType, Value extends z.ZodType>(
  timeout: TimeoutClass,
  repeat: Repeat,
  value: Value,
  args: Arguments,
): CatalogEntry<Arguments, Value> => ({ arguments: args, value, timeout, repeat });

/** A call with these arguments by name, or without any. */
export const call = <Value extends z.ZodType, Shape extends z.ZodRawShape = Record<never, never>>(
  timeout: TimeoutClass,
  repeat: Repeat,
  value: Value,
  shape?: Shape,
) => callOf(timeout, repeat, value, object((shape ?? {}) as Shape));

/** An object that has these keys and no others. */
export const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape).readonly();

export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** Values by a name that is data. */
export const record = <Item extends z.ZodType>(item: Item) => z.record(z.string(), item).readonly();

export const AnyJson = z.custom<Json>((value) => value !== undefined);

/** Parameters by name, of hypervisors, disks and operating systems. */
export const Parameters = record(AnyJson);

/** Value of a call that has an effect and no result. */
export const Done = z.null();
