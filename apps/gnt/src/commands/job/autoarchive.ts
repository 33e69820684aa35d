/** `gnt-job autoarchive`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { timeSpan } from "../../time-span.js";

export async function run({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [age = ""] = args;
  const [archived, unchecked] = await cluster.autoArchive(age === "all" ? -1 : timeSpan(age));
  out.document({ archived, unchecked });
  out.line(`Archived ${archived} jobs, ${unchecked} unchecked left`);
  return 0;
}
