/** Job runner over a master's local socket. */
import {
  GanetiError,
  queryJobStatuses,
  readJobStatuses,
  readSubmitted,
  submitManyJobs,
} from "@ganeti-ts/luxi/calls";
import { callLuxi } from "../luxi/client.js";
import type { Ports } from "../ports.js";
import { type ConnectRunner, JobError, type JobRunner } from "./job-runner.js";

export const luxiRunner =
  (path: string, ports: Ports): ConnectRunner =>
  async (): Promise<JobRunner> => {
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
