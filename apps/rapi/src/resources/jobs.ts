/** Resources below `/2/jobs`. */
import { isJsonObject, JobId, type Json, RapiJob, Timestamp } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault, typeName } from "../http/fault.js";
import type { World } from "../world.js";
import { bulkText, Listing } from "./listing.js";
import { faultOfQueue } from "./queue-fault.js";
import { type Call, Rendered, type Resource, resource, Written } from "./resource.js";

/** Maximum wait (ms) for a change of a job. */
const waitMs = 10_000;

const jobId = ({ names }: Call) => Number(names.job) as JobId;

const WaitRequest = z.object({
  /** Fields of the job to watch. */
  fields: z.array(z.string()),
  /** Their last seen values; null answers at once. */
  previous_job_info: z.array(z.unknown()).nullish(),
  /** The serial of the last log entry seen. */
  previous_log_serial: z.int().nullish(),
});

/** Answer for an unknown job. */
const NoJob = z.object({
  id: JobId,
  ...Object.fromEntries(
    Object.keys(RapiJob.omit({ id: true }).shape).map((name) => [name, z.null()] as const),
  ),
});

export const jobResources: readonly Resource[] = [
  resource("/2/jobs", {
    GET: {
      summary: "All jobs that are not archived",
      access: "anybody",
      query: { bulk: bulkText },
      answer: z.union([Listing("id", JobId), z.array(RapiJob)]),
      handle: async ({ query }, { jobs }) => {
        return new Written(await (query.flag("bulk") ? jobs.list() : jobs.ids()));
      },
    },
  }),
  resource("/2/jobs/{job}", {
    GET: {
      summary: "A job with its log and its results; of one that there is not only nulls",
      access: "anybody",
      answer: z.union([RapiJob, NoJob]),
      handle: async (call, { jobs }) => new Rendered(`${await jobs.one(jobId(call))}\n`),
    },
    DELETE: {
      summary: "Cancels a job: whether that was done, and what to tell people",
      access: "write",
      query: { "dry-run": "Has no effect" },
      answer: z.tuple([z.boolean(), z.string()]),
      handle: async (call, { queue }) => [...(await queue.cancel(jobId(call)))],
    },
  }),
  resource("/2/jobs/{job}/wait", {
    GET: {
      summary: "Waits up to 10 s for a job to change; null if it did not",
      access: "write",
      body: WaitRequest,
      answer: z
        .object({
          job_info: z.array(z.unknown()),
          log_entries: z.array(z.tuple([z.int(), Timestamp, z.string(), z.unknown()])),
        })
        .nullable(),
      waits: true,
      handle: wait,
    },
  }),
];

async function wait(call: Call, { queue }: World): Promise<Json> {
  const { fields, previousValues, previousSerial } = waitRequest(call.body);
  try {
    const answer = await queue.waitForChange(jobId(call), {
      fields,
      previousValues,
      previousSerial,
      timeoutMs: waitMs,
      signal: call.signal,
    });
    if (answer === "nochange") return null;
    return { job_info: answer.values, log_entries: answer.log };
  } catch (error) {
    throw faultOfQueue(error);
  }
}

function waitRequest(body: Json | undefined) {
  if (!isJsonObject(body)) {
    const found =
      body === undefined ? "; there is none" : `, and is of the type '${typeName(body)}'`;
    throw new HttpFault(400, `The body has to be an object with 'fields'${found}`);
  }
  const { fields, previous_job_info: values = null, previous_log_serial: serial = null } = body;
  if (fields === undefined) throw new HttpFault(400, "Required parameter 'fields' is missing");
  if (!Array.isArray(fields)) {
    throw new HttpFault(400, "The 'fields' parameter should be a list");
  }
  if (!fields.every((field) => typeof field === "string")) {
    throw new HttpFault(400, "The 'fields' parameter should be a list of names");
  }
  if (values !== null && !Array.isArray(values)) {
    throw new HttpFault(400, "The 'previous_job_info' parameter should be a list");
  }
  if (serial !== null && !(typeof serial === "number" && Number.isInteger(serial))) {
    throw new HttpFault(400, "The 'previous_log_serial' parameter should be a number");
  }
  return {
    fields: fields as readonly string[],
    previousValues: values as readonly Json[] | null,
    previousSerial: serial,
  };
}
