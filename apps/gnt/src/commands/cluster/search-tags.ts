/** gnt-cluster search-tags: lists objects with tags that match a regular expression. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

/** Code 1 if no tag matches. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, out } = invocation;
  const found = (await runOpcode(invocation, {
    OP_ID: "OP_TAGS_SEARCH",
    pattern: args[0] as string,
  })) as [path: string, tag: string][];
  const lines = found
    .toSorted(([pathA, tagA], [pathB, tagB]) => compare(pathA, pathB) || compare(tagA, tagB))
    .map(([path, tag]) => `${path} ${tag}`);
  if (out.json) out.document(found);
  else for (const line of lines) out.line(line);
  return found.length === 0 ? 1 : 0;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
