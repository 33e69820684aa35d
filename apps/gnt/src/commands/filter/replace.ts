/** `gnt-filter replace`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { ruleParts } from "./rule-parts.js";
import { storedRule } from "./stored-rule.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, out } = invocation;
  const [given = ""] = args;
  const uuid = await storedRule(invocation, given, ruleParts(invocation));
  out.document({ uuid });
  out.line(uuid);
  return 0;
}
