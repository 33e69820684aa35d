/**
 * Port for submitting jobs, which keeps the execution of job sets independent of the connection to the
 * master.
 */
import type { JobOutcome } from "@ganeti-ts/luxi/calls";
import type { JobId, JobStatus, JsonObject } from "@ganeti-ts/protocol";

/** An opcode with its common parameters; its keys are sent in their order. */
export type Opcode = JsonObject & { readonly OP_ID: string };

/** Opcodes of a job run one after the other; the first failure ends the job. */
export type Job = readonly Opcode[];

/** Its methods throw a JobError, or a FileError if the connection fails. */
export interface JobRunner {
  /** Submits jobs that are independent of each other. Returns the ids, in order. */
  submit(jobs: readonly Job[]): Promise<readonly JobId[]>;
  statuses(ids: readonly JobId[]): Promise<readonly JobStatus[]>;
  close(): void;
}

/** A runner that also gives the results of jobs. */
export interface ResultRunner extends JobRunner {
  /** In the order of `ids`, with one result for each opcode. */
  outcomes(ids: readonly JobId[]): Promise<readonly JobOutcome[]>;
}

/** Opens a new connection. Throws a FileError. */
export type ConnectRunner = () => Promise<JobRunner>;

/** A job was refused or cannot be queried; `message` names the job and the reason. */
export class JobError extends Error {
  override readonly name = "JobError";
}
