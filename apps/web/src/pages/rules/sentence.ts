/** Filter rules in words. */
import { opcodeText } from "../../words.js";
import type { Action, PredicateName, Rule } from "./rule.js";

/** The effect of an action on the jobs that a rule catches. */
function actionText(action: Action): string {
  if (typeof action !== "string") {
    return `Runs at most ${action[1]} ${action[1] === 1 ? "job" : "jobs"} at a time`;
  }
  return {
    ACCEPT: "Lets jobs start",
    PAUSE: "Holds jobs in the queue",
    REJECT: "Cancels queued jobs",
    CONTINUE: "Leaves jobs to the rules that follow",
  }[action];
}

/** The whole rule as one sentence. */
export function ruleText(rule: Pick<Rule, "action" | "predicates" | "watermark">): string {
  const { action, predicates, watermark } = rule;
  const conditions = predicates
    .filter(([, expression]) => expression !== null)
    .map(([name, expression]) => predicateText(name, expression, watermark));
  const which =
    conditions.length === 0 ? ", whatever they do" : ` if ${conditions.join(", and if ")}`;
  return `${actionText(action)}${which}.`;
}

const subjects: Readonly<Record<PredicateName, string>> = {
  jobid: "they have ",
  opcode: "one of their operations has ",
  reason: "one of their reasons has ",
};

/** A condition in words; `watermark` is the value of that keyword. */
const predicateText = (name: PredicateName, expression: unknown, watermark: number) =>
  subjects[name] + part(name, expression, watermark, false);

const signs: Readonly<Record<string, string>> = {
  ...{ "==": "equal to", "=": "equal to", "!=": "other than" },
  ...{ "<": "below", "<=": "at most", ">": "above", ">=": "at least" },
};

function part(
  name: PredicateName,
  expression: unknown,
  watermark: number,
  isPart: boolean,
): string {
  if (!Array.isArray(expression)) return "anything";
  const [operator, ...rest] = expression as readonly unknown[];
  const [field, value] = rest;
  const of = (one: unknown) => part(name, one, watermark, true);
  if (operator === "&" || operator === "|") {
    const joined = rest.map(of).join(operator === "&" ? " and " : " or ");
    return isPart && rest.length > 1
      ? `(${joined})`
      : joined || (operator === "&" ? "anything" : "nothing");
  }
  if (operator === "!") return `not ${of(field)}`;
  if (operator === "?") return `${field} set`;
  if (operator === "=~") return `${fieldText(name, field)} matching ${value}`;
  if (operator === "=[]") return `${valueText(value)} among ${field}`;
  if (name === "jobid" && value === "watermark") {
    if (operator === ">")
      return `a number above ${watermark}, so that they are later than the rule`;
    return `a number ${signs[String(operator)]} the rule's watermark (${watermark})`;
  }
  if (field === "OP_ID" && operator === "==" && typeof value === "string") {
    return `the kind ${opcodeText(value)}`;
  }
  return `${fieldText(name, field)} ${signs[String(operator)] ?? String(operator)} ${valueText(value)}`;
}

const fieldText = (name: PredicateName, field: unknown): string => {
  if (name === "jobid") return "a number";
  if (field === "OP_ID") return "a kind";
  return name === "reason" ? `a ${field === "reason" ? "text" : field}` : String(field);
};

const valueText = (value: unknown): string =>
  typeof value === "string" ? `“${value}”` : String(value);

/** Whether some condition depends on the watermark, which changes whenever the rule is stored. */
export const usesWatermark = ({ predicates }: Pick<Rule, "predicates">): boolean =>
  predicates.some(
    ([name, expression]) => name === "jobid" && JSON.stringify(expression).includes('"watermark"'),
  );
