/** `gnt-job watch`. */
import type { Invocation } from "../../invocation.js";
import { printing } from "../../jobs/feedback.js";
import { endOfJob } from "./end-of-job.js";

export async function run(invocation: Invocation) {
  const { args, out } = invocation;
  const [id = ""] = args;
  const title = `Output from job ${id} follows`;
  out.line(title);
  out.line("-".repeat(title.length));
  return endOfJob(invocation, printing(invocation, Number(id)));
}
