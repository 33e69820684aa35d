/** Values of jobs without what must never leave a cluster. */
import { withoutSecrets } from "@ganeti-ts/job-queue";
import type { Json } from "@ganeti-ts/protocol";

/** Fields of jobs that hold what somebody has sent. */
const sentFields = new Set(["ops", "opresult"]);

/** Whether one of the fields may hold any. */
export const hasSecrets = (fields: readonly string[]): boolean =>
  fields.some((field) => sentFields.has(field));

/** Values of a job's fields, with what is secret in them covered. */
export const valuesWithoutSecrets = (
  fields: readonly string[],
  values: readonly Json[],
): readonly Json[] =>
  values.map((value, at) => (sentFields.has(fields[at] ?? "") ? withoutSecrets(value) : value));
