/** A rule as the options of `add`, `replace` and `test` describe it. */
import type { FilterExpression, Json } from "@ganeti-ts/protocol";
import { FilterTextError, parseFilter } from "@ganeti-ts/query";
import type { RuleParts } from "../../cluster.js";
import { Ending, FilterTextFailure } from "../../errors.js";
import type { Invocation, Output } from "../../invocation.js";

/** @throws FilterTextFailure */
export function ruleParts(invocation: Invocation): RuleParts {
  const { options, now, out } = invocation;
  const reason = options.text("reason");
  return {
    priority: options.integer("priority") ?? 0,
    predicates: predicatesOf(invocation),
    action: action(options.text("action") ?? "CONTINUE", out),
    reason: reason ? [["gnt:user", reason, now()]] : [],
  };
}

/** Predicates in JSON first, which may be anything: the server reports their faults. */
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

/**
 * `RATE_LIMIT 3` is `["RATE_LIMIT", 3]`; other actions are single words. The server refuses unknown
 * words in the terms of its parser: scripts expect that text, a terminal gets the list of actions.
 * @throws Ending
 */
function action(text: string, out: Output): Json {
  const limit = /^RATE_LIMIT\s+(\d+)/.exec(text)?.[1];
  if (limit !== undefined) return ["RATE_LIMIT", Number(limit)];
  if (actions.includes(text) || out.terminal === undefined) return text;
  throw new Ending(
    `'${text}' is not an action of a filter rule: choose ${actions.join(", ")} or 'RATE_LIMIT N'.`,
  );
}

const actions = ["ACCEPT", "CONTINUE", "PAUSE", "REJECT"];
