/** Parameters whose values are for the operation alone: nobody is shown them, and they go with the job's end. */
import { isJsonObject, type Json, type QueuedOpcode } from "@ganeti-ts/protocol";

const secretParameters: ReadonlySet<string> = new Set([
  "osparams_private",
  "osparams_secret",
  "osparams_private_cluster",
]);

/** As Ganeti's files of jobs have it in their place. */
const redacted = "<redacted>";

/** The value with those of secret parameters covered, however deep they are; the same one if it has none. */
export function withoutSecrets(value: Json): Json {
  if (Array.isArray(value)) {
    const covered = value.map(withoutSecrets);
    return covered.some((one, at) => one !== value[at]) ? covered : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const coveredEntries = entries.map(
    ([key, one]) => [key, secretParameters.has(key) ? covered(one) : withoutSecrets(one)] as const,
  );
  const isSame = coveredEntries.every(([, one], at) => one === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(coveredEntries);
}

/** Names stay, values go. */
function covered(value: Json): Json {
  if (value === null) return null;
  if (!isJsonObject(value)) return redacted;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, covered(one)]));
}

/** The opcode as it is kept when its job has ended. */
export function withoutSecretInput(opcode: QueuedOpcode): QueuedOpcode {
  const input = withoutSecrets(opcode.input);
  return input === opcode.input ? opcode : { ...opcode, input };
}
