/** gnt-node modify, remove, rename and powercycle. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode, runs } from "../../jobs/follow.js";
import { changeMachine, hasRealNodes } from "../cluster/server-program.js";
import { byName } from "../named.js";
import { printModified } from "../reports.js";
import { modifyOpcode } from "./opcodes.js";

const onlineQuestion =
  "You are setting this node online manually. If the configuration has changed, this can cause issues" +
  " such as split brain. To safely bring a node back online, please use --readd instead. If you are" +
  " confident that the configuration hasn't changed, continue?";

export async function modify(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
  const [node] = args as [string];
  const opcode = modifyOpcode(node, options);
  if (options.yesNo("offline") === false && !options.flag("force")) {
    if (!(await ask.confirm(onlineQuestion, "--force"))) return 1;
  }
  printModified(out, `node ${node}`, await runOpcode(invocation, opcode));
  return 0;
}

export async function remove(invocation: Invocation): Promise<ExitCode> {
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

export const rename = runs(({ args }) => {
  const [node_name, new_name] = args as [string, string];
  return { OP_ID: "OP_NODE_RENAME", node_name, new_name };
});

export async function powercycle(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
  const [node_name] = args as [string];
  const question = `Are you sure you want to hard powercycle node ${node_name}?`;
  const force = options.flag("force");
  if (!(options.flag("yes") || force || (await ask.confirm(question, "--yes")))) return 2;
  const result = await runOpcode(invocation, { OP_ID: "OP_NODE_POWERCYCLE", node_name, force });
  if (result) out.error(String(result));
  return 0;
}
