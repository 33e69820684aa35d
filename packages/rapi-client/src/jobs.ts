/** Resources below `/2/jobs`. */
import { isFinalized, type JobId, RapiJob } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { pause } from "./carrier.js";
import { RapiError } from "./rapi-error.js";
import type { Reading } from "./reading.js";

/** Options of `Jobs.wait`. */
export interface Waiting extends Reading {
  /** Interval of the first two polls; doubles up to 15 s. Default 500 ms. */
  readonly intervalMs?: number;
}

/** For an unknown job every field is null, except possibly its id. */
const Unknown = z.object({ status: z.null() });
const Found = z.union([RapiJob, Unknown.transform(() => undefined)]);

const intervalMaxMs = 15_000;

export const jobsOf = (caller: Caller) => {
  const path = (id: JobId) => `/2/jobs/${id}`;
  /** Undefined if the job does not exist (any more). */
  const get = async (id: JobId, options?: Reading): Promise<RapiJob | undefined> => {
    try {
      return await caller.call("GET", path(id), Found, options);
    } catch (error) {
      if (error instanceof RapiError && error.status === 404) return undefined;
      throw error;
    }
  };
  return {
    /** All jobs that are not archived. */
    list: (options?: Reading): Promise<readonly RapiJob[]> =>
      caller.call("GET", "/2/jobs", z.array(RapiJob), { query: { bulk: 1 }, ...options }),
    get,
    /** The job when it has ended, successfully or not; undefined if it no longer exists. */
    wait: async (
      id: JobId,
      { intervalMs = 500, ...options }: Waiting = {},
    ): Promise<RapiJob | undefined> => {
      for (let ms = intervalMs; ; ms = Math.min(2 * ms, intervalMaxMs)) {
        const job = await get(id, options);
        if (job === undefined || isFinalized(job.status)) return job;
        // After an abort, the next poll reports it.
        await pause(ms, options.signal);
      }
    },
    /** Whether it will not run, and the server's message. */
    cancel: (id: JobId, options?: Reading): Promise<readonly [done: boolean, message: string]> =>
      caller.call("DELETE", path(id), z.tuple([z.boolean(), z.string()]), options),
  };
};

/** Calls on jobs. */
export interface Jobs extends ReturnType<typeof jobsOf> {}
