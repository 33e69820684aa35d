/** Who carries out jobs: a port, so that the execution of job sets need not know how a master is reached. */
import type { JobId, JobStatus, JsonObject } from "@ganeti-ts/protocol";

/** An opcode with its common parameters; its keys are sent in their order. */
export type Opcode = JsonObject & { readonly OP_ID: string };

/** The opcodes of a job are carried out one after the other; the first that fails ends it. */
export type Job = readonly Opcode[];

/** Its methods throw a JobError, or a FileError if the connection fails. */
export interface JobRunner {
  /** Submits all of them; they do not wait for one another. Gives the ids, in order. */
  submit(jobs: readonly Job[]): Promise<readonly JobId[]>;
  statuses(ids: readonly JobId[]): Promise<readonly JobStatus[]>;
  close(): void;
}

/** Connects anew. Throws a FileError. */
export type ConnectRunner = () => Promise<JobRunner>;

/** Jobs that were not accepted, or cannot be asked about; `message` says what and why. */
export class JobError extends Error {
  override readonly name = "JobError";
}
