/** gnt-node repair-storage. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { storageType } from "./storage-type.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [node_name, type, name] = invocation.args as [string, string, string];
  await runOpcode(invocation, {
    OP_ID: "OP_REPAIR_NODE_STORAGE",
    node_name,
    storage_type: storageType(type),
    name,
    ignore_consistency: invocation.options.flag("ignore-consistency"),
  });
  return 0;
}
