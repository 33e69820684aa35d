/** `gnt-job why`. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { jobId } from "./job-id.js";

export async function run({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [given = ""] = args;
  const id = jobId(given, out);
  const causes = await cluster.why(id);
  if (causes === undefined) {
    const status = (await cluster.job(id))?.status;
    out.document({ id, status: status ?? null, causes: [] });
    out.line(status === undefined ? `There is no job ${id}` : `Job ${id} has ended: ${status}`);
    return status === undefined ? 1 : 0;
  }
  out.document({ id, causes: causes as Json });
  if (causes.length === 0) out.line(`Nothing keeps job ${id} from running`);
  for (const { text } of causes) out.line(`Job ${id} ${text}`);
  return 0;
}
