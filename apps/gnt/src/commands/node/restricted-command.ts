/** gnt-node restricted-command: runs one of the commands that nodes allow. */
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { onlineNodes } from "./online.js";

/** Code 1 if it failed on a node. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [command, ...named] = args as [string, ...string[]];
  const group = options.text("node-group");
  if (named.length === 0 && group === undefined) {
    throw prereqError("Node group or node names must be given");
  }
  const nodes = (await onlineNodes(invocation, named, group)).map(({ name }) => name);
  const answers = (await runOpcode(invocation, {
    OP_ID: "OP_RESTRICTED_COMMAND",
    command,
    nodes: [...nodes],
    use_locking: options.flag("sync"),
  })) as [ok: boolean, output: string][];
  for (const [at, [ok, output]] of answers.entries()) {
    out.line("------------------------------------------------");
    if (!ok) out.line(output);
    else if (options.flag("show-machine-names")) {
      const lines = output.split("\n");
      if (lines.at(-1) === "") lines.pop();
      for (const line of lines) out.line(`${nodes[at]}: ${line}`);
    } else {
      out.line(`Node: ${nodes[at]}`);
      out.line(output);
    }
  }
  out.document(answers.map(([ok, output], at) => ({ node: nodes[at] ?? "", ok, output })));
  return answers.every(([ok]) => ok) ? 0 : 1;
}
