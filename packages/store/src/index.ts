/** Errors of both stores, which have entry points of their own. */
export { HaltError, LeaseLostError } from "@ganeti-ts/job-queue";
