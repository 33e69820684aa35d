/** gnt-node power and health. */
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runJob, runOpcode } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { confirmMany } from "../confirm-many.js";
import { healthWords, type PowerAnswer, powerRows, powerWords, printPower } from "./power-rows.js";

const commands = ["on", "off", "cycle", "status"];
const asking = ["off", "cycle"];

/** Switches nodes on and off with out-of-band helpers. */
export async function power(invocation: Invocation): Promise<ExitCode> {
  const { args, options } = invocation;
  const [command, ...nodes] = args as [string, ...string[]];
  if (!commands.includes(command)) throw new Ending(`power subcommand ${command} not supported.`);
  if (asking.includes(command)) {
    if (nodes.length === 0) throw new Ending("Please provide at least one node for this command");
    const affected = { names: nodes, what: "nodes", doing: `power ${command}` };
    if (!(await confirmMany(invocation, "force", affected))) return 1;
  }
  const results = await runJob(invocation, powerOpcodes(command, nodes, options));
  const answers = results.at(-1) as PowerAnswer[];
  return printPower(invocation, powerRows(answers, powerWords(command)));
}

/** Nodes to be switched off are marked offline first, unless their status is ignored. */
export function powerOpcodes(
  command: string,
  nodes: readonly string[],
  options: OptionValues,
): readonly OpcodeJson[] {
  const ignoreStatus = options.flag("ignore-status");
  const offline = command === "off" && !ignoreStatus ? nodes : [];
  return [
    ...offline.map((node_name) => ({
      OP_ID: "OP_NODE_SET_PARAMS",
      node_name,
      offline: true,
      auto_promote: options.flag("auto-promote"),
    })),
    {
      OP_ID: "OP_OOB_COMMAND",
      node_names: [...nodes],
      command: `power-${command}`,
      ignore_status: ignoreStatus,
      ...given({
        timeout: options.integer("oob-timeout"),
        power_delay: options.number("power-delay"),
      }),
    },
  ];
}

/** Shows the data of out-of-band helpers. */
export async function health(invocation: Invocation): Promise<ExitCode> {
  const { args, options } = invocation;
  const answers = (await runOpcode(invocation, {
    OP_ID: "OP_OOB_COMMAND",
    node_names: [...args],
    command: "health",
    ...given({ timeout: options.integer("oob-timeout") }),
  })) as PowerAnswer[];
  return printPower(invocation, powerRows(answers, healthWords));
}
