/** gnt-filter list, info and explain. */
import { type Json, pythonText } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { list } from "../../listing.js";
import { reasonsText, ruleSentence } from "./rule-text.js";
import { type Rule, ruleFields, rulesOf } from "./rules.js";

export const rules = (invocation: Invocation) =>
  list(invocation, {
    kind: "filter",
    defaultFields: ruleFields,
    nameField: "uuid",
    dispensable: ["reason_trail", "watermark"],
  });

export async function info({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const rules = await rulesOf(cluster, args);
  out.document(rules);
  for (const { uuid, watermark, priority, predicates, action, reason_trail } of rules) {
    out.line(`UUID: ${uuid}`);
    out.line(`  Watermark: ${watermark}`);
    out.line(`  Priority: ${priority}`);
    out.line(`  Predicates: ${pythonText(predicates)}`);
    out.line(`  Action: ${pythonText(action)}`);
    out.line(`  Reason trail: ${pythonText(reason_trail)}`);
  }
  return 0;
}

export async function explain({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const rules = (await rulesOf(cluster, args)).toSorted(inOrder);
  out.document(rules.map((rule) => ({ uuid: rule.uuid, text: ruleSentence(rule) })) as Json);
  if (rules.length === 0) out.line("There are no such rules: jobs start as they come.");
  for (const rule of rules) {
    const reasons = reasonsText(rule);
    out.line(`${rule.uuid} (priority ${rule.priority})`);
    out.line(`  ${ruleSentence(rule)}.`);
    if (reasons !== "") out.line(`  Because: ${reasons}`);
  }
  return 0;
}

/** Order in which rules are evaluated. */
const inOrder = (a: Rule, b: Rule): number =>
  a.priority - b.priority || a.watermark - b.watermark || (a.uuid < b.uuid ? -1 : 1);
