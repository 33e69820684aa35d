/** commandsOfVerification: commands of administrators for old copies of mirrored disks that dead jobs have left. */
import type { Snapshot } from "@ganeti-ts/config";
import type { Json, JsonObject } from "@ganeti-ts/protocol";

/** The commands for old copies in the output of verification, each once. */
export async function commandsOfVerification({
  run,
  config,
}: {
  readonly run: (opcode: JsonObject) => Promise<{ readonly log: readonly Json[] }>;
  readonly config: { readonly snapshot: Snapshot };
}): Promise<readonly string[]> {
  const commands = new Set<string>();
  for (const { name } of [...config.snapshot.groups()]) {
    const { log } = await run({ OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: name });
    for (const line of log) {
      const found = /old copy .*'(gnt-instance [^']+)'/.exec(String(line))?.[1];
      if (found !== undefined) commands.add(found);
    }
  }
  return [...commands];
}

/** The opcode that `gnt-instance` sends for such a command. */
export function opcodeOf(command: string): JsonObject {
  const instance_name = command.slice(command.lastIndexOf(" ") + 1);
  if (command.includes(" activate-disks ")) {
    return { OP_ID: "OP_INSTANCE_ACTIVATE_DISKS", wait_for_sync: false, instance_name };
  }
  const replacing = { OP_ID: "OP_INSTANCE_REPLACE_DISKS", instance_name, disks: [] };
  if (command.includes(" -I ")) {
    return { ...replacing, mode: "replace_new_secondary", iallocator: "hail" };
  }
  const mode = command.includes(" -p ") ? "replace_on_primary" : "replace_on_secondary";
  return { ...replacing, mode };
}
