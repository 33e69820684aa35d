/** `gnt-backup import`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { importOpcode } from "../instance/creation.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [name = ""] = invocation.args;
  await runOpcode(invocation, importOpcode(name, invocation.options));
  return 0;
}
