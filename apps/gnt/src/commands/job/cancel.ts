/** `gnt-job cancel`. */
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { eachJob } from "./each-job.js";
import { noSuchJob } from "./job-id.js";

export async function run(invocation: Invocation) {
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
