/** Rules in words. */
import type { Json } from "@ganeti-ts/protocol";
import type { Rule } from "./rules.js";

/** One sentence: the affected jobs, and the effect on them. */
export function ruleSentence({ predicates, action, watermark }: Rule): string {
  const which = predicates.map(([kind, filter]) => predicateText(kind, filter, watermark));
  const jobs = which.length === 0 ? "All jobs" : `Jobs ${which.join(" and ")}`;
  return `${jobs} ${effect(action)}`;
}

function effect(action: Json): string {
  if (Array.isArray(action)) {
    return Number(action[1]) === 1 ? "run one at a time" : `run ${action[1]} at a time`;
  }
  switch (action) {
    case "ACCEPT":
      return "start as they come, whatever later rules say";
    case "PAUSE":
      return "wait until the rule is gone";
    case "REJECT":
      return "are refused";
    default:
      return "are left to later rules";
  }
}

function predicateText(kind: string, filter: Json, watermark: number): string {
  const text = filterText(filter).replaceAll('"watermark"', String(watermark));
  switch (kind) {
    case "jobid":
      return `with ${text}`;
    case "opcode":
      return filter === null ? "with an opcode" : `with an opcode of ${text}`;
    case "reason":
      return filter === null ? "with a reason" : `with a reason of ${text}`;
    default:
      return `with ${kind} ${text}`;
  }
}

/** The filter in its language, in a form that parses again; nested parts are in parentheses. */
export function filterText(filter: Json, inner = false): string {
  if (!Array.isArray(filter)) return "anything";
  const [operator, ...rest] = filter as readonly Json[];
  const joined = (word: string) => {
    const text = rest.map((part) => filterText(part, true)).join(` ${word} `);
    return inner && rest.length > 1 ? `(${text})` : text;
  };
  const [field = null, value = null] = rest;
  switch (operator) {
    case "&":
      return rest.length === 0 ? "anything" : joined("and");
    case "|":
      return rest.length === 0 ? "nothing" : joined("or");
    case "!":
      return `not ${filterText(field, true)}`;
    case "?":
      return String(field);
    case "=~":
      return `${field} =~ m/${String(value).replace(/[\\/]/g, "\\$&")}/`;
    case "=[]":
      return `${valueText(value)} in ${field}`;
    default:
      return `${field} ${operator === "=" ? "==" : operator} ${valueText(value)}`;
  }
}

const valueText = (value: Json): string =>
  typeof value === "string" ? `"${value}"` : String(value);

/** Reasons recorded with the rule, if any. */
export const reasonsText = ({ reason_trail: trail }: Rule): string =>
  trail
    .map(([, reason]) => reason)
    .filter((reason) => reason !== "")
    .join("; ");
