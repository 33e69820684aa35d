// Instances in two places, or in the wrong one, because a migration was not finished.
import type { Job, JsonObject } from "@ganeti-ts/protocol";

/** Names of instances with a migration that failed: until its cleanup they may run at the source, at the target or at both. */
export function namesCutInMigration(jobs: Iterable<Job>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { input, status } of [...jobs].flatMap(({ opcodes }) => opcodes)) {
    const { OP_ID, instance_name } = input as JsonObject;
    if (OP_ID === "OP_INSTANCE_MIGRATE" && status === "error") names.add(String(instance_name));
  }
  return names;
}
