/** Operation on each of several jobs: the named ones, or all with a status after a confirmation. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { queryLines } from "../../table.js";
import { jobFormats } from "./formats.js";
import { jobId } from "./job-id.js";
import { statusFilter } from "./selection.js";

type Outcome = readonly [done: boolean, message: string];

/** Code 13 if the user declines, 1 if the operation failed for a job. @throws GanetiError */
export async function eachJob(
  invocation: Invocation,
  question: string,
  act: (id: number) => Promise<Outcome>,
): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const filter = statusFilter(options);
  if (args.length > 0 === (filter !== undefined)) {
    throw prereqError("Either a status filter or job ID(s) must be specified and never both");
  }
  const ids =
    filter === undefined
      ? args.map((one) => jobId(one, out))
      : await selected(invocation, question);
  if (ids === undefined) return 13;
  const told: Json[] = [];
  let code: ExitCode = 0;
  for (const id of ids) {
    const [done, message] = await act(id);
    if (!done) code = 1;
    told.push({ id, done, message });
    out.line(message);
  }
  out.document(told);
  return code;
}

/** Undefined if the user declines. */
async function selected(
  { options, cluster, out, ask }: Invocation,
  question: string,
): Promise<readonly number[] | undefined> {
  const fields = ["id", "status", "summary"];
  const table = await cluster.query("job", fields, statusFilter(options) ?? null);
  if (table.data.length === 0) {
    throw prereqError("No jobs with the requested status have been found", "wrong_state");
  }
  if (!options.flag("force")) {
    const lines = queryLines(table, { headers: true, formats: jobFormats });
    for (const line of lines) out.line(line);
    if (!(await ask.confirm(question, "--force"))) return undefined;
  }
  return table.data.map(([id]) => id?.[1] as number);
}
