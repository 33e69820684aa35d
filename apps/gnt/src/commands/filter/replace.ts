/** `gnt-filter replace`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { ruleParts } from "./rule-parts.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, cluster, out } = invocation;
  const [given = ""] = args;
  const uuid = await cluster.putFilter(given, ruleParts(invocation));
  out.document({ uuid });
  out.line(uuid);
  return 0;
}
