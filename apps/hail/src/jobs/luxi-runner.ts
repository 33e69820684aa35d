/** Job runner over a master's local socket. */
import {
  GanetiError,
  queryJobResults,
  queryJobStatuses,
  readJobResults,
  readJobStatuses,
  readSubmitted,
  submitManyJobs,
} from "@ganeti-ts/luxi/calls";
import { callLuxi } from "../luxi/client.js";
import type { Ports } from "../ports.js";
import { JobError, type ResultRunner } from "./job-runner.js";

export const luxiRunner = (path: string, ports: Ports) => async (): Promise<ResultRunner> => {
  const connection = await ports.connectLuxi(path);
  return {
    submit: (jobs) =>
      saying("Job submission error", async () =>
        readSubmitted(await callLuxi(connection, submitManyJobs(jobs))),
      ),
    statuses: (ids) =>
      saying("Checking job status", async () =>
        readJobStatuses(await callLuxi(connection, queryJobStatuses(ids))),
      ),
    outcomes: (ids) =>
      saying("Checking job status", async () =>
        readJobResults(await callLuxi(connection, queryJobResults(ids))),
      ),
    close: () => connection.close(),
  };
};

async function saying<T>(step: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof GanetiError)) throw error;
    throw new JobError(`${step}: ${error.message}`, { cause: error });
  }
}
