/** Resources below `/2/jobs`. */
import { isFinalized, type JobId, RapiJob } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { pause } from "./pause.js";
import { RapiError } from "./rapi-error.js";
import type { Reading } from "./reading.js";

/** Options of `Jobs.wait`. */
export interface Waiting extends Reading {
  /** Between the first two looks; doubles up to 15 s. Default 500 ms. */
  readonly intervalMs?: number;
}

/** Calls on jobs. */
export interface Jobs {
  /** All that are not archived. */
  list(options?: Reading): Promise<readonly RapiJob[]>;
  /** Undefined if there is no such job (any more). */
  get(id: JobId, options?: Reading): Promise<RapiJob | undefined>;
  /** The job when it has ended, well or not; undefined if it is gone. */
  wait(id: JobId, options?: Waiting): Promise<RapiJob | undefined>;
  /** Whether it will not run, and what the server says to that. */
  cancel(id: JobId, options?: Reading): Promise<readonly [done: boolean, message: string]>;
}

/** A job that is not known comes as one whose every field is null, its id perhaps not. */
const Unknown = z.object({ status: z.null() });
const Found = z.union([RapiJob, Unknown.transform(() => undefined)]);

const intervalMaxMs = 15_000;

export const jobsOf = (caller: Caller): Jobs => {
  const path = (id: JobId) => `/2/jobs/${id}`;
  const get: Jobs["get"] = async (id, options) => {
    try {
      return await caller.call("GET", path(id), Found, options);
    } catch (error) {
      if (error instanceof RapiError && error.status === 404) return undefined;
      throw error;
    }
  };
  return {
    list: (options = {}) =>
      caller.call("GET", "/2/jobs", z.array(RapiJob), { query: { bulk: 1 }, ...options }),
    get,
    wait: async (id, { intervalMs = 500, ...options } = {}) => {
      for (let ms = intervalMs; ; ms = Math.min(2 * ms, intervalMaxMs)) {
        const job = await get(id, options);
        if (job === undefined || isFinalized(job.status)) return job;
        // Aborted here, the next look says so.
        await pause(ms, options.signal);
      }
    },
    cancel: (id, options) =>
      caller.call("DELETE", path(id), z.tuple([z.boolean(), z.string()]), options),
  };
};
