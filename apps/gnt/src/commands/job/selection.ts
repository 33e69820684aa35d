/** Job selection by options like `--pending`. */
import type { FilterExpression } from "@ganeti-ts/protocol";
import type { OptionValues } from "../../invocation.js";

const statuses: Readonly<Record<string, readonly string[]>> = {
  pending: ["queued", "waiting", "canceling"],
  queued: ["queued"],
  waiting: ["waiting"],
  running: ["running"],
  error: ["error"],
  finished: ["canceled", "success", "error"],
};

/** Undefined if no such option is given. */
export function statusFilter(options: OptionValues): FilterExpression | undefined {
  const chosen = Object.keys(statuses).find((name) => options.knows(name) && options.flag(name));
  if (chosen === undefined) return undefined;
  const equal = (status: string): FilterExpression => ["==", "status", status];
  return ["|", ...(statuses[chosen] ?? []).map(equal)];
}
