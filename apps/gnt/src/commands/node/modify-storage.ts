/** gnt-node modify-storage. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { storageType } from "./storage-type.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
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
