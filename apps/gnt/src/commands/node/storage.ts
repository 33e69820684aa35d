/** gnt-node modify-storage and repair-storage. */
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode, runs } from "../../jobs/follow.js";

export async function modifyStorage(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [node_name, type, name] = args as [string, string, string];
  const storage_type = storageType(type);
  const allocatable = options.yesNo("allocatable");
  if (allocatable === undefined) {
    out.error("No changes to perform, exiting.");
    return 0;
  }
  await runOpcode(invocation, {
    OP_ID: "OP_NODE_MODIFY_STORAGE",
    node_name,
    storage_type,
    name,
    changes: { allocatable },
  });
  return 0;
}

export const repairStorage = runs(({ args, options }) => {
  const [node_name, type, name] = args as [string, string, string];
  return {
    OP_ID: "OP_REPAIR_NODE_STORAGE",
    node_name,
    storage_type: storageType(type),
    name,
    ignore_consistency: options.flag("ignore-consistency"),
  };
});

const types = ["file", "lvm-pv", "lvm-vg", "sharedfile", "gluster"];

/** @throws GanetiError for an unknown type */
function storageType(name: string): string {
  if (types.includes(name)) return name;
  throw prereqError(`Unknown storage type: ${name}`);
}
