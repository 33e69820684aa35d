/** What of jobs never leaves the server, and never comes into its log. */
import { withoutSecrets } from "@ganeti-ts/job-queue";
import type { Json } from "@ganeti-ts/protocol";

/** Fields of jobs that hold what somebody has sent. */
const sentFields = new Set(["ops", "opresult"]);

/** Values of a job's fields, with what is secret in them covered. */
export const valuesWithoutSecrets = (
  fields: readonly string[],
  values: readonly Json[],
): readonly Json[] =>
  values.map((value, at) => (sentFields.has(fields[at] ?? "") ? withoutSecrets(value) : value));
