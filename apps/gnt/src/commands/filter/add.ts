/** `gnt-filter add`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { ruleParts } from "./rule-parts.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const uuid = await invocation.cluster.putFilter(null, ruleParts(invocation));
  invocation.out.document({ uuid });
  invocation.out.line(uuid);
  return 0;
}
