/** `gnt-job change-priority`. */
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { priorityOf } from "../../jobs/completed-opcode.js";
import { eachJob } from "./each-job.js";

export async function run(invocation: Invocation) {
  const priority = priorityOf(invocation.options.text("priority"));
  if (priority === undefined) throw new Ending("--priority option must be given.");
  return eachJob(invocation, "Change priority of job(s) listed above?", (id) =>
    invocation.cluster.changePriority(id, priority),
  );
}
