/** `gnt-instance rename`. */

import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, ask, args, out } = invocation;
  const [from = "", to = ""] = args;
  if (!options.flag("force") && options.flag("no-name-check")) {
    const question =
      "As you disabled the check of the DNS entry, please verify" +
      ` that '${to}' is a FQDN. Continue?`;
    if (!(await ask.confirm(question, "--force"))) return 1;
  }
  const name = await runOpcode(invocation, renameOpcode(from, to, options));
  if (name) out.line(`Instance '${from}' renamed to '${String(name)}'`);
  return 0;
}

/** The new name is resolved and its address checked, unless disabled. */
export const renameOpcode = (from: string, to: string, options: OptionValues): OpcodeJson =>
  opcode("OP_INSTANCE_RENAME", {
    instance_name: from,
    new_name: to,
    ip_check: options.flag("ip-check") || !options.flag("no-ip-check"),
    name_check: options.flag("name-check") || !options.flag("no-name-check"),
  });
