/** A rule as the options of `add`, `replace` and `test` describe it. */
import type { FilterExpression, Json } from "@ganeti-ts/protocol";
import { FilterTextError, parseFilter } from "@ganeti-ts/query";
import type { RuleParts } from "../../cluster.js";
import { FilterTextFailure } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

/** @throws FilterTextFailure */
export function ruleParts(invocation: Invocation): RuleParts {
  const { options, now } = invocation;
  const reason = options.text("reason");
  return {
    priority: options.integer("priority") ?? 0,
    predicates: predicatesOf(invocation),
    action: action(options.text("action") ?? "CONTINUE"),
    reason: reason ? [["gnt:user", reason, now()]] : [],
  };
}

/** Those in JSON first, which may be anything: the server says what is wrong with them. */
export function predicatesOf({ options }: Invocation): Json {
  const given = options.json("predicates") ?? [];
  const readable = [
    ...options.texts("jobs").map((text) => ["jobid", filterOf(text)]),
    ...options.texts("opcodes").map((text) => ["opcode", filterOf(text)]),
    ...options.texts("reasons").map((text) => ["reason", filterOf(text)]),
  ] as Json[];
  return Array.isArray(given) ? [...given, ...readable] : given;
}

function filterOf(text: string): FilterExpression {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof FilterTextError) throw new FilterTextFailure(error.message, error.details);
    throw error;
  }
}

/** `RATE_LIMIT 3` is `["RATE_LIMIT", 3]`; all else is what it is. */
function action(text: string): Json {
  const limit = /^RATE_LIMIT\s+(\d+)/.exec(text)?.[1];
  return limit === undefined ? text : ["RATE_LIMIT", Number(limit)];
}
