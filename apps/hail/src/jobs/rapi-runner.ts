/**
 * Job runner over the remote API.
 *
 * The API takes one opcode per request and no lists of jobs, so a job of several opcodes becomes as many
 * jobs, each of which depends on the success of the previous one: their order is kept, and after a failure
 * the remaining ones fail without running. Different jobs are independent. Everything is submitted before
 * waiting, so the work continues if this program ends.
 *
 * The reason is sent as the caller's (`gnt:user`); the server adds the rest of the trail itself.
 */
import {
  type Dependency,
  isFinalized,
  type JobId,
  type JobStatus,
  type JsonObject,
  type SubmitPriority,
} from "@ganeti-ts/protocol";
import type {
  DiskReplacement,
  Failover,
  Migration,
  Rapi,
  Submission,
} from "@ganeti-ts/rapi-client";
import { rapiBase, rapiUrl } from "../loading/rapi-url.js";
import { type ConnectRunner, type Job, JobError, type Opcode } from "./job-runner.js";

/** Maximum number of concurrent job queries. */
const askedAtOnce = 4;

/** `address` is as for `-m`. */
export const rapiRunner =
  (address: string): ConnectRunner =>
  async () => {
    const { openRapi } = await import("@ganeti-ts/rapi-client");
    const { url } = await rapiUrl(rapiBase(address));
    const rapi = openRapi({ url, verifyCertificate: false });
    const ended = new Map<JobId, JobStatus>();
    return {
      submit: (jobs) => submitAll(rapi, jobs),
      statuses: async (ids) => {
        const queue = ids.filter((id) => !ended.has(id)).values();
        const current = new Map<JobId, JobStatus>();
        const ask = async () => {
          for (const id of queue) {
            const status = await statusOf(rapi, id);
            (isFinalized(status) ? ended : current).set(id, status);
          }
        };
        await Promise.all(Array.from({ length: askedAtOnce }, ask));
        return ids.map((id) => (ended.get(id) ?? current.get(id)) as JobStatus);
      },
      close: () => {},
    };
  };

async function submitAll(rapi: Rapi, jobs: readonly Job[]): Promise<JobId[]> {
  const ids: JobId[] = [];
  for (const job of jobs) {
    let before: JobId | undefined;
    for (const opcode of job) {
      try {
        before = await submit(rapi, opcode, before);
      } catch (error) {
        const already = ids.length > 0 ? ` (already submitted: ${ids.join(", ")})` : "";
        throw new JobError(`Job submission error: ${messageOf(error)}${already}`, { cause: error });
      }
      ids.push(before);
    }
  }
  return ids;
}

function submit(rapi: Rapi, opcode: Opcode, before: JobId | undefined): Promise<JobId> {
  const { OP_ID, instance_name, priority, depends: _, comment, reason, ...parameters } = opcode;
  const name = String(instance_name);
  const depends: Dependency[] | undefined = before && [[before, ["success"]]];
  const submission: Submission = {
    depends,
    priority: priority as SubmitPriority,
    comment: String(comment),
    reason: reasonText(reason as readonly (readonly unknown[])[]),
  };
  const how = parameters as JsonObject;
  switch (OP_ID) {
    case "OP_INSTANCE_MIGRATE":
      return rapi.instances.migrate(name, how as Migration, submission);
    case "OP_INSTANCE_FAILOVER":
      return rapi.instances.failover(name, how as Failover, submission);
    case "OP_INSTANCE_REPLACE_DISKS":
      return rapi.instances.replaceDisks(name, how as JsonObject & DiskReplacement, submission);
    default:
      throw new JobError(`${OP_ID} cannot be submitted through the RAPI`);
  }
}

const reasonText = (trail: readonly (readonly unknown[])[]): string | undefined =>
  trail[0] === undefined ? undefined : String(trail[0][1]);

async function statusOf(rapi: Rapi, id: JobId): Promise<JobStatus> {
  let job: Awaited<ReturnType<Rapi["jobs"]["get"]>>;
  try {
    job = await rapi.jobs.get(id);
  } catch (error) {
    throw new JobError(`Checking job status: ${messageOf(error)}`, { cause: error });
  }
  if (job === undefined) throw new JobError(`Checking job status: job ${id} is gone`);
  return job.status;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
