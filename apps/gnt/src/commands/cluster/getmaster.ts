/** gnt-cluster getmaster. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";

export async function run({ cluster, out }: Invocation): Promise<ExitCode> {
  const { master } = await cluster.info();
  out.line(String(master));
  return 0;
}
