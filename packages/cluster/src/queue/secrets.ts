/** Job values with their secrets hidden. */
import { withoutSecrets } from "@ganeti-ts/job-queue";
import type { Json } from "@ganeti-ts/protocol";

/** Fields of jobs that contain data of clients. */
const sentFields = new Set(["ops", "opresult"]);

/** Whether one of the fields may contain secrets. */
export const hasSecrets = (fields: readonly string[]): boolean =>
  fields.some((field) => sentFields.has(field));

/** Values of a job's fields with secrets hidden. */
export const valuesWithoutSecrets = (
  fields: readonly string[],
  values: readonly Json[],
): readonly Json[] =>
  values.map((value, at) => (sentFields.has(fields[at] ?? "") ? withoutSecrets(value) : value));
