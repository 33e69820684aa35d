/** `gnt-filter delete`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";

export async function run({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [uuid = ""] = args;
  await cluster.deleteFilter(uuid);
  out.document({ uuid });
  return 0;
}
