/** gnt-cluster command: runs a command line on nodes, one after the other. */
import { isJsonObject, type Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Interrupted } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { onlineNodes } from "../node/online.js";
import { askNode } from "./on-node.js";

/** Exit code of ssh for an unreachable host. */
const unreachable = 255;

/**
 * Code 0 whatever the commands return, as in Ganeti: scripts read `return code`. The master is the
 * last.
 */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out, signal } = invocation;
  const command = args.join(" ");
  const found = await onlineNodes(invocation, options.texts("node"), options.text("node-group"));
  const nodes = [...found.filter((one) => !one.isMaster), ...found.filter((one) => one.isMaster)];
  const all: Json[] = [];
  for (const { name } of nodes) {
    if (signal.aborted) throw new Interrupted();
    const answer = await answerOf(invocation, name, command);
    all.push({ node: name, output: answer.output, exit_code: answer.exitCode });
    out.document([...all]);
    if (options.flag("failure-only") && answer.exitCode === 0) continue;
    for (const line of linesOf(name, answer, options.flag("show-machine-names"))) out.line(line);
  }
  return 0;
}

interface Answer {
  readonly output: string;
  readonly exitCode: number;
}

function linesOf(node: string, { output, exitCode }: Answer, named: boolean): readonly string[] {
  const rule = "------------------------------------------------";
  const end = `return code = ${exitCode}`;
  if (!named) return [rule, `node: ${node}`, output, end];
  const lines = output.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return [rule, ...lines.map((line) => `${node}: ${line}`), end];
}

async function answerOf(invocation: Invocation, node: string, command: string): Promise<Answer> {
  const said = await askNode(invocation, ["POST", "command"], node, { command });
  if (!said.ok) return { output: `${said.problem}\n`, exitCode: unreachable };
  const { output, exit_code } = isJsonObject(said.value) ? said.value : {};
  return { output: String(output), exitCode: Number(exit_code) };
}
