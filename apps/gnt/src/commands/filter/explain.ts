/** `gnt-filter explain`. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { reasonsText, ruleSentence } from "./rule-text.js";
import { type Rule, rulesOf } from "./rules.js";

export async function run({ args, cluster, out }: Invocation): Promise<ExitCode> {
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
