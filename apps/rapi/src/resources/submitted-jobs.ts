/** Submission of several jobs in one request; a refused job does not stop the others. */
import { QueueError } from "@ganeti-ts/job-queue";
import { decodeOpcode, JobId, type Json, type JsonObject } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import type { World } from "../world.js";
import { faultOfQueue } from "./queue-fault.js";

const Accepted = z.object({ id: JobId });
const Refused = z.object({
  refused: z.string(),
  /** Ganeti's class of error and its arguments. */
  error: z.tuple([z.string(), z.array(z.unknown())]),
});

/** For each job its id, or the reason of its refusal. */
export const SubmittedJobs = z.array(z.union([Accepted, Refused]));

/** Dependencies may be relative: -k is the job k places before. @throws HttpFault 503 if the queue accepts no jobs */
export async function submitted(jobs: readonly JsonObject[][], { queue }: World): Promise<Json> {
  const decoded = jobs.map((opcodes) => opcodes.map((one) => decodeOpcode(one)));
  // A job with invalid opcodes keeps its place, for relative dependencies of later jobs.
  const sent = decoded.map((opcodes) =>
    opcodes.every((one) => one.ok) ? opcodes.map((one) => one.opcode as JsonObject) : [],
  );
  const answers = await answered(() => queue.submitMany(sent));
  return answers.map(([ok, answer], at) => {
    if (ok) return { id: answer };
    const wrong = decoded[at]?.find((one) => !one.ok);
    return refused(wrong === undefined ? String(answer) : wrong.problem);
  });
}

const refused = (problem: string): Json => ({
  refused: problem,
  error: ["OpPrereqError", [problem, "wrong_input"]],
});

/** Refusals of the queue in its own words, because they are for the owner of the cluster. */
export async function answered<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    const full = error instanceof QueueError && /^queue_(?:drained|full)$/.test(error.code);
    if (full) throw new HttpFault(503, error.message, {}, { cause: error });
    throw faultOfQueue(error);
  }
}
