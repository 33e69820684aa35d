/** `gnt-job cancel`. */
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { eachJob } from "./each-job.js";

export async function run(invocation: Invocation) {
  const { options, cluster } = invocation;
  const kill = options.flag("kill");
  if (kill && !options.flag("yes-do-it")) {
    throw prereqError("The --kill option must be confirmed with --yes-do-it");
  }
  const question = `${kill ? "KILL" : "Cancel"} job(s) listed above?`;
  return eachJob(invocation, question, (id) => cluster.cancel(id, kill));
}
