/**
 * Secret parameters, meant only for the operation: they are never shown, and are removed when the job ends.
 */
import { isJsonObject, type Json, type JsonObject, type QueuedOpcode } from "@ganeti-ts/protocol";

const secretParameters: ReadonlySet<string> = new Set([
  "osparams_private",
  "osparams_secret",
  "osparams_private_cluster",
]);

/** The replacement used in Ganeti's job files. */
const redacted = "<redacted>";

/** The value with secret parameters redacted at any depth; the same object if it has none. */
export const withoutSecrets = (value: Json): Json =>
  hasSecrets(value) ? withSecretsCovered(value) : value;

/** Most values have none: this walk allocates nothing. */
function hasSecrets(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasSecrets);
  const object = value as JsonObject;
  for (const key in object) {
    if (secretParameters.has(key) || hasSecrets(object[key] as Json)) return true;
  }
  return false;
}

function withSecretsCovered(value: Json): Json {
  if (Array.isArray(value)) {
    const covered = value.map(withSecretsCovered);
    return covered.some((one, at) => one !== value[at]) ? covered : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const coveredEntries = entries.map(
    ([key, one]) =>
      [key, secretParameters.has(key) ? covered(one) : withSecretsCovered(one)] as const,
  );
  const isSame = coveredEntries.every(([, one], at) => one === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(coveredEntries);
}

/** Keeps names and redacts values. */
function covered(value: Json): Json {
  if (value === null) return null;
  if (!isJsonObject(value)) return redacted;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, covered(one)]));
}

/** The opcode as stored after the end of its job. */
export function withoutSecretInput(opcode: QueuedOpcode): QueuedOpcode {
  const input = withoutSecrets(opcode.input);
  return input === opcode.input ? opcode : { ...opcode, input };
}
