/** gnt-job watch and wait. */
import type { ExitCode } from "../../command.js";
import { ConnectionFailure, Ending, GanetiError, Interrupted } from "../../errors.js";
import { failureOf } from "../../failure.js";
import type { Invocation, Output } from "../../invocation.js";
import { awaitJob, notFound } from "../../jobs/await-job.js";
import { printing, type Reporter, silent } from "../../jobs/feedback.js";
import { noSuchJob, notANumber } from "./job-id.js";

export async function watch(invocation: Invocation) {
  const { args, out } = invocation;
  const [id = ""] = args;
  const title = `Output from job ${id} follows`;
  out.line(title);
  out.line("-".repeat(title.length));
  return endOfJob(invocation, printing(invocation, Number(id)));
}

export const wait = (invocation: Invocation) => endOfJob(invocation, silent);

/** 0 only for success. @throws Ending with the failure */
async function endOfJob({ args, cluster, out }: Invocation, report: Reporter): Promise<ExitCode> {
  const [given = ""] = args;
  try {
    const id = numberOf(given, out);
    const results = await awaitJob(cluster, id, report);
    out.document({ job: id, status: "success", results });
    return 0;
  } catch (error) {
    if (error instanceof Interrupted || error instanceof ConnectionFailure) throw error;
    if (error instanceof Ending) throw error;
    if (out.terminal !== undefined && neverSeen(error)) throw new Ending(noSuchJob(Number(given)));
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    out.document({ job: given, status: "error", error: failure.text });
    throw new Ending(`Job ${given} failed: ${failure.text}`, failure.exitCode);
  }
}

const neverSeen = (error: unknown): boolean =>
  error instanceof GanetiError && error.className === "JobLost" && error.message === notFound;

function numberOf(text: string, out: Output): number {
  if (/^\d+$/.test(text)) return Number(text);
  if (out.terminal !== undefined) throw new Ending(notANumber(text));
  throw new GanetiError("ProtocolError", [
    `Failed to parse request: Parsing WaitForJobChange message: parsing job id: cannot parse string '${text}'`,
  ]);
}
