/** Statuses of opcodes and jobs. */
import * as z from "zod";

/** In the order of their rank. Opcodes and jobs share the names. */
export const jobStatuses = [
  "queued",
  "waiting",
  "canceling",
  "running",
  "canceled",
  "success",
  "error",
] as const;

/** Schema of the status of a job or an opcode. */
export const JobStatus = z.enum(jobStatuses);
export type JobStatus = z.infer<typeof JobStatus>;

const rank = new Map<JobStatus, number>(jobStatuses.map((status, at) => [status, at]));
const rankOf = (status: JobStatus) => rank.get(status) as number;

/** It has ended, and never changes again. */
export const isFinalized = (status: JobStatus): boolean => rankOf(status) > rankOf("running");

/** The statuses in which a job can end, which a dependency may require. */
export const FinalStatus = z.enum(["canceled", "success", "error"]);
export type FinalStatus = z.infer<typeof FinalStatus>;

/** A status in Ganeti's messages: `JOB_STATUS_SUCCESS`. */
export const statusConstant = (status: JobStatus): string => `JOB_STATUS_${status.toUpperCase()}`;
