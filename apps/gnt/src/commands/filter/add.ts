/** `gnt-filter add`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { ruleParts } from "./rule-parts.js";
import { storedRule } from "./stored-rule.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const uuid = await storedRule(invocation, null, ruleParts(invocation));
  invocation.out.document({ uuid });
  invocation.out.line(uuid);
  return 0;
}
