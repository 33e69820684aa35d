/** gnt-group add. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { endOfChildren } from "../children.js";
import { reportUuid } from "../created.js";
import { addOpcode } from "./opcodes.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.args as [string];
  const result = await runOpcode(invocation, addOpcode(name, invocation.options));
  await reportUuid(invocation, "group", name);
  return endOfChildren(invocation, result);
}
