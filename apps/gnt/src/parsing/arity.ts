/** Check of the number of arguments. */
import type { Command } from "../command.js";

/** Ganeti's text for a wrong number; undefined if it is right. */
export function arityFault(
  { name, arguments: wanted }: Command,
  args: readonly string[],
): string | undefined {
  const min = wanted.reduce((sum, one) => sum + one.min, 0);
  const max = wanted.reduce((sum, one) => sum + one.max, 0);
  const expects = (what: string) => `Error: Command ${name} expects ${what}`;
  if (max === 0) return args.length === 0 ? undefined : expects("no arguments");
  if (min === max && args.length !== min) return expects(`${min} argument(s)`);
  if (args.length > max) return expects(`only ${max} argument(s)`);
  return args.length < min ? expects(`at least ${min} argument(s)`) : undefined;
}
