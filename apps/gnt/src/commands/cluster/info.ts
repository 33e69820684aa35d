/** gnt-cluster info; with `--json`, the answer of the server. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { printTree } from "../../tree.js";
import { infoTree } from "./info-tree.js";

export async function run({ cluster, out, options }: Invocation): Promise<ExitCode> {
  const info = await cluster.info();
  if (out.json) out.document(info);
  else printTree(out, infoTree(info, options.flag("roman")));
  return 0;
}
