/** gnt-node modify. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { printModified } from "../modified.js";
import { modifyOpcode } from "./opcodes.js";

const onlineQuestion =
  "You are setting this node online manually. If the configuration has changed, this can cause issues" +
  " such as split brain. To safely bring a node back online, please use --readd instead. If you are" +
  " confident that the configuration hasn't changed, continue?";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
  const [node] = args as [string];
  const opcode = modifyOpcode(node, options);
  if (options.yesNo("offline") === false && !options.flag("force")) {
    if (!(await ask.confirm(onlineQuestion, "--force"))) return 1;
  }
  printModified(out, `node ${node}`, await runOpcode(invocation, opcode));
  return 0;
}
