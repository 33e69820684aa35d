/** gnt-node remove. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { changeMachine, hasRealNodes } from "../cluster/server-program.js";
import { byName } from "../named.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, dataDirectory, env } = invocation;
  const [name] = args as [string];
  const [known] = await byName(invocation, "node", ["name", "pip"], [name]);
  await runOpcode(invocation, { OP_ID: "OP_NODE_REMOVE", node_name: name });
  const isLocal = !options.has("url") && hasRealNodes(dataDirectory);
  if (isLocal && !options.flag("dry-run")) {
    // Its name may not resolve any more: the line of /etc/hosts has gone with it.
    changeMachine({ dataDirectory, env }, [
      `--release-node=${known?.name ?? name}`,
      ...(known === undefined ? [] : [`--primary-ip=${known.pip}`]),
    ]);
  }
  return 0;
}
