/** gnt-network connect: one job for each group, one after the other. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { groupsOrAll } from "./groups.js";
import { connectOpcodes } from "./opcodes.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [network, ...named] = invocation.args as [string, ...string[]];
  const groups = await groupsOrAll(named, invocation.cluster);
  for (const opcode of connectOpcodes(network, groups, invocation.options)) {
    await runOpcode(invocation, opcode);
  }
  return 0;
}
