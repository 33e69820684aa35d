/** gnt-job cancel, change-priority, archive and autoarchive. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending, prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { priorityOf } from "../../jobs/completed-opcode.js";
import { queryLines } from "../../table.js";
import { timeSpan } from "../../time-span.js";
import { jobFormats } from "./formats.js";
import { jobId, noSuchJob } from "./job-id.js";
import { statusFilter } from "./selection.js";

export async function cancel(invocation: Invocation) {
  const { options, cluster, out } = invocation;
  const kill = options.flag("kill");
  if (kill && !options.flag("yes-do-it")) {
    throw prereqError("The --kill option must be confirmed with --yes-do-it");
  }
  const question = `${kill ? "KILL" : "Cancel"} job(s) listed above?`;
  return eachJob(invocation, question, async (id) => {
    const [done, message] = await cluster.cancel(id, kill);
    if (done || out.terminal === undefined) return [done, message];
    return [done, await plainRefusal(invocation, id, message)];
  });
}

/** Reason why a job was not cancelled, in plain words on a terminal; scripts get Ganeti's words. */
async function plainRefusal({ cluster }: Invocation, id: number, said: string): Promise<string> {
  const status = (await cluster.job(id))?.status;
  if (status === undefined) return noSuchJob(id);
  if (ended.includes(String(status))) {
    return `Job ${id} has ended already (${status}): there is nothing to cancel.`;
  }
  if (status !== "running") return said;
  return (
    `Job ${id} is running and cannot be cancelled; at most its remaining steps are left out.` +
    ` "gnt-job cancel --kill --yes-do-it ${id}" ends it in the middle of its work.`
  );
}

const ended = ["success", "error", "canceled"];

export async function changePriority(invocation: Invocation) {
  const priority = priorityOf(invocation.options.text("priority"));
  if (priority === undefined) throw new Ending("--priority option must be given.");
  return eachJob(invocation, "Change priority of job(s) listed above?", (id) =>
    invocation.cluster.changePriority(id, priority),
  );
}

export async function archive({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const failed: number[] = [];
  for (const id of args.map((one) => jobId(one, out))) {
    if (await cluster.archive(id)) continue;
    failed.push(id);
    out.error(`Failed to archive job with ID '${id}'`);
  }
  out.document({ failed });
  return failed.length === 0 ? 0 : 1;
}

export async function autoArchive({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [age = ""] = args;
  const [archived, unchecked] = await cluster.autoArchive(age === "all" ? -1 : timeSpan(age));
  out.document({ archived, unchecked });
  out.line(`Archived ${archived} jobs, ${unchecked} unchecked left`);
  return 0;
}

type Outcome = readonly [done: boolean, message: string];

/** Code 13 if the user declines, 1 if the operation failed for a job. @throws GanetiError */
async function eachJob(
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
