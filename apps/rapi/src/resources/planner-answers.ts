/** told: converts refusals of the planner to faults of a request. */
import { OperationError } from "@ganeti-ts/job-queue";
import { HttpFault } from "../http/fault.js";

/** @throws HttpFault 400 if the request has no answer */
export async function told<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new HttpFault(400, error.message, {}, { cause: error });
  }
}
