/** Wait for the end of a running job. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { Cluster, JobChange, Seen } from "../cluster.js";
import { ConnectionFailure, execError, GanetiError, Interrupted } from "../errors.js";
import { encodedError } from "../failure.js";
import type { Reporter } from "./feedback.js";

const ended = ["success", "error", "canceled"];

/**
 * Returns the results of the job's opcodes if all succeeded. @throws GanetiError with the failure
 * of the first one that did not, or `JobLost`; Interrupted with the job and its last known status;
 * ConnectionFailure if the server does not answer for long
 */
export async function awaitJob(
  cluster: Cluster,
  id: number,
  report: Reporter,
): Promise<readonly Json[]> {
  const fields = ["status", "opstatus", "opresult"];
  let seen: Seen = { values: null, serial: null };
  try {
    for (;;) {
      const change = await nextChange(cluster, id, fields, seen);
      if (change === "gone") throw new GanetiError("JobLost", [lost(id, seen)]);
      if (change === "nothing") {
        report.unchanged(seen.values === null ? undefined : String(seen.values[0]));
        continue;
      }
      for (const entry of change.log) report.log(entry);
      const serial = Math.max(seen.serial ?? 0, ...change.log.map((entry) => entry.serial));
      seen = { values: change.values, serial: serial === 0 ? null : serial };
      const [status, opstatus, opresult] = change.values;
      if (ended.includes(String(status))) {
        return resultsOf(String(status), listOf(opstatus), listOf(opresult));
      }
      report.unchanged(String(status));
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted([id], seen.values === null ? undefined : String(seen.values[0]));
  } finally {
    report.end();
  }
}

/** Number of attempts to reach a silent server, and the pause (ms) between them. */
const attemptsMax = 10;
const pauseMs = 1000;

/**
 * A job whose state was seen continues while its server restarts, or while the client is stopped
 * (Ctrl-Z).
 */
async function nextChange(
  cluster: Cluster,
  id: number,
  fields: readonly string[],
  seen: Seen,
): Promise<JobChange> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await cluster.waitForChange(id, fields, seen);
    } catch (error) {
      if (!(error instanceof ConnectionFailure) || seen.values === null) throw error;
      if (!error.passing || attempt >= attemptsMax) {
        const text = `${error.message}\nJob ${id} may continue: "gnt-job watch ${id}" follows it again.`;
        throw new ConnectionFailure(text, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** Ganeti's words for a job that was never found. */
export const notFound = "Can't load job file";

const lost = (id: number, { values }: Seen): string =>
  values === null ? notFound : `Job with id ${id} lost`;

/** @throws GanetiError */
function resultsOf(
  status: string,
  opstatus: readonly Json[],
  opresult: readonly Json[],
): readonly Json[] {
  if (status === "success") return opresult;
  if (status === "canceled") throw new GanetiError("JobCanceled", ["Job was canceled"]);
  const failed = opstatus.indexOf("error");
  const result = opresult[failed] ?? null;
  const error = encodedError(result);
  if (error !== undefined) throw error;
  const text = pythonText(result);
  const before = opstatus.slice(0, Math.max(0, failed)).includes("success");
  throw execError(before ? `partial failure (opcode ${failed}): ${text}` : text);
}
