/** Form of a rule: its arguments in the URL, and the rule's body made from it. */
import { FilterTextError } from "@ganeti-ts/query";
import { expressionOf, expressionText } from "./expression.js";
import { step } from "./moved.js";
import type { Action, PredicateName, Rule } from "./rule.js";

export interface Condition {
  readonly name: PredicateName;
  readonly text: string;
}

export interface Form {
  readonly priority: string;
  readonly action: string;
  /** For RATE_LIMIT. */
  readonly limit: string;
  readonly conditions: readonly Condition[];
  readonly why: string;
}

/** The form of a stored rule, or of a new one after the last one. */
export function formOf(rule: Rule | undefined, last: Rule | undefined): Form {
  if (rule === undefined) {
    const priority = String(last === undefined ? step : last.priority + step);
    return { priority, action: "PAUSE", limit: "1", conditions: [], why: "" };
  }
  const { action } = rule;
  return {
    priority: String(rule.priority),
    action: typeof action === "string" ? action : action[0],
    limit: typeof action === "string" ? "1" : String(action[1]),
    conditions: rule.predicates.map(([name, expression]) => ({
      name,
      text: expressionText(expression),
    })),
    why: "",
  };
}

const names: ReadonlySet<string> = new Set(["jobid", "opcode", "reason"]);

/** The form with the values in the URL. */
export function formIn(args: URLSearchParams, usual: Form): Form {
  const conditions = args
    .get("if")
    ?.split("\n")
    .flatMap((line): Condition[] => {
      const [name = "", ...rest] = line.split(" ");
      return names.has(name) ? [{ name: name as PredicateName, text: rest.join(" ") }] : [];
    });
  const text = (name: "priority" | "action" | "limit" | "why") => args.get(name) ?? usual[name];
  return {
    ...{ priority: text("priority"), action: text("action"), limit: text("limit") },
    ...{ why: text("why"), conditions: conditions ?? usual.conditions },
  };
}

/** Arguments of the URL; values equal to those of `usual` are empty. */
export function argsOf(form: Form, usual: Form): Record<string, string> {
  const lines = ({ conditions }: Form) =>
    conditions.map(({ name, text }) => `${name} ${text.replaceAll("\n", " ")}`).join("\n");
  const all = { ...form, if: lines(form) || " " };
  const before = { ...usual, if: lines(usual) || " " };
  const kept = (["priority", "action", "limit", "why", "if"] as const).filter(
    (name) => all[name] !== before[name],
  );
  return Object.fromEntries(kept.map((name) => [name, all[name]]));
}

/** A fault of the form: of a field, or of the condition with that index. */
interface FormFault {
  readonly field: "priority" | "limit" | number;
  readonly text: string;
}

export interface Read {
  readonly rule: Pick<Rule, "priority" | "predicates" | "action">;
  readonly faults: readonly FormFault[];
}

/** The rule, without the parts that have faults. */
export function ruleIn(form: Form): Read {
  const faults: FormFault[] = [];
  const priority = whole(form.priority);
  if (priority === undefined) {
    faults.push({
      field: "priority",
      text: "Give a whole number, 0 or more: lower ones come first",
    });
  }
  let action = form.action as Action;
  if (form.action === "RATE_LIMIT") {
    const limit = whole(form.limit);
    if (!limit) faults.push({ field: "limit", text: "Give a whole number, 1 or more" });
    action = ["RATE_LIMIT", limit || 1];
  }
  const predicates = form.conditions.flatMap(({ name, text }, at) => {
    try {
      return [[name, expressionOf(text)] as const];
    } catch (error) {
      faults.push({ field: at, text: shortened(error as Error) });
      return [];
    }
  });
  return { rule: { priority: priority ?? 0, predicates, action }, faults };
}

const whole = (text: string): number | undefined =>
  /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;

/** The message without the quoted text, which the field shows already. */
const shortened = (error: Error): string =>
  error instanceof FilterTextError ? error.details[2] : error.message;
