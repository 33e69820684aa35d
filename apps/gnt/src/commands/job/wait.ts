/** `gnt-job wait`. */
import type { Invocation } from "../../invocation.js";
import { silent } from "../../jobs/feedback.js";
import { endOfJob } from "./end-of-job.js";

export const run = (invocation: Invocation) => endOfJob(invocation, silent);
