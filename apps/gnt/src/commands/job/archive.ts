/** `gnt-job archive`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { jobId } from "./job-id.js";

export async function run({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const failed: number[] = [];
  for (const id of args.map((one) => jobId(one, out))) {
    if (await cluster.archive(id)) continue;
    failed.push(id);
    out.error(`Failed to archive job with ID '${id}'`);
  }
  out.document({ failed });
  return failed.length === 0 ? 0 : 1;
}
