/** `gnt-backup remove`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [instance_name = ""] = invocation.args;
  await runOpcode(invocation, opcode("OP_BACKUP_REMOVE", { instance_name }));
  return 0;
}
