/** Parameters whose values never leave the server, and never come into its log. */
import { isJsonObject, type Json } from "@ganeti-ts/protocol";

const secretParameters = new Set([
  "osparams_private",
  "osparams_secret",
  "osparams_private_cluster",
]);

const redacted = "<redacted>";

/** The same value with the values of secret parameters covered, however deep they are. */
function withoutSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      secretParameters.has(key) ? covered(one) : withoutSecrets(one),
    ]),
  );
}

/** Names stay, values go. */
function covered(value: Json): Json {
  if (value === null) return null;
  if (!isJsonObject(value)) return redacted;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, covered(one)]));
}

/** Fields of jobs that hold what somebody has sent. */
const sentFields = new Set(["ops", "opresult"]);

/** Values of a job's fields, with what is secret in them covered. */
export const valuesWithoutSecrets = (
  fields: readonly string[],
  values: readonly Json[],
): readonly Json[] =>
  values.map((value, at) => (sentFields.has(fields[at] ?? "") ? withoutSecrets(value) : value));
