/** list-tags: lists the tags of one object, sorted, one per line. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { target } from "./target.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { cluster, out } = invocation;
  const { kind, name } = target(invocation);
  const tags = [...(await cluster.tags(kind, name))].sort();
  if (out.json) out.document(tags);
  else for (const tag of tags) out.line(tag);
  return 0;
}
