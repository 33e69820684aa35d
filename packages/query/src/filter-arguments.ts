/** Selection of items by the arguments of a command like `gnt-instance list`. */
import type { FilterExpression } from "@ganeti-ts/protocol";
import { FilterError } from "./filter-error.js";
import { globPattern } from "./glob.js";
import { parseFilter } from "./parse-filter.js";

/** Options of `filterFromArguments`. */
interface ArgumentOptions {
  /** `-F`: the only argument is a filter, whatever it looks like. */
  readonly force?: boolean | undefined;
  /** Field that names are compared with; default `name`. */
  readonly nameField?: string | undefined;
  /** Whether the name field contains numbers, as for jobs. */
  readonly numeric?: boolean | undefined;
  /** Additional selection by an option. */
  readonly status?: FilterExpression | undefined;
}

/**
 * The JSON form of the selection by `args`: without arguments `null`; a single argument with a character that
 * names cannot contain is a filter text; all others are names, in which `*` and `?` are wildcards.
 *
 * @throws FilterTextError, or FilterError `wrong_arguments`
 */
export function filterFromArguments(
  args: readonly string[],
  options: ArgumentOptions = {},
): FilterExpression {
  const names = nameFilter(args, options);
  const { status } = options;
  if (status === undefined || status === null) return names;
  return names === null ? status : ["&", names, status];
}

function nameFilter(args: readonly string[], options: ArgumentOptions): FilterExpression {
  const { force = false, nameField = "name", numeric = false } = options;
  const [first] = args;
  if (force || (args.length === 1 && /[! "'()<>=~/\\\t\n\r\v\f]/.test(first as string))) {
    if (first !== undefined && args.length === 1) return parseFilter(first);
    throw new FilterError("wrong_arguments", "Exactly one argument must be given as a filter");
  }
  if (args.length === 0) return null;
  return ["|", ...args.map((arg) => (numeric ? numbered(nameField, arg) : named(nameField, arg)))];
}

function numbered(field: string, arg: string): FilterExpression {
  const digits = arg.trim();
  if (/^[+-]?[0-9]+(_[0-9]+)*$/.test(digits)) {
    const number = Number(digits.replaceAll("_", ""));
    if (Number.isSafeInteger(number)) return ["==", field, number];
  }
  throw new FilterError(
    "wrong_arguments",
    `Invalid job ID passed: invalid literal for int() with base 10: '${arg}'`,
  );
}

function named(field: string, arg: string): FilterExpression {
  return /[*?]/.test(arg) ? ["=~", field, globPattern(arg)] : ["==", field, arg];
}
