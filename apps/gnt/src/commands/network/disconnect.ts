/** gnt-network disconnect: one job for each group, one after the other. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { groupsOrAll } from "./groups.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [network_name, ...named] = invocation.args as [string, ...string[]];
  for (const group_name of await groupsOrAll(named, invocation.cluster)) {
    await runOpcode(invocation, { OP_ID: "OP_NETWORK_DISCONNECT", group_name, network_name });
  }
  return 0;
}
