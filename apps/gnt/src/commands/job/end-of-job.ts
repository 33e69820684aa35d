/** How a job that somebody else submitted ends. */
import type { ExitCode } from "../../command.js";
import { ConnectionFailure, Ending, GanetiError, Interrupted } from "../../errors.js";
import { failureOf } from "../../failure.js";
import type { Invocation } from "../../invocation.js";
import { awaitJob } from "../../jobs/await-job.js";
import type { Reporter } from "../../jobs/feedback.js";

/** 0 for success alone. @throws Ending with how it failed */
export async function endOfJob(
  { args, cluster, out }: Invocation,
  report: Reporter,
): Promise<ExitCode> {
  const [given = ""] = args;
  try {
    const id = numberOf(given);
    const results = await awaitJob(cluster, id, report);
    out.document({ job: id, status: "success", results });
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) throw new Interrupted([Number(given)]);
    if (error instanceof ConnectionFailure) throw error;
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    out.document({ job: given, status: "error", error: failure.text });
    throw new Ending(`Job ${given} failed: ${failure.text}`, failure.exitCode);
  }
}

function numberOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new GanetiError("ProtocolError", [
    `Failed to parse request: Parsing WaitForJobChange message: parsing job id: cannot parse string '${text}'`,
  ]);
}
