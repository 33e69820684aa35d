/** `gnt-instance change-group`. */
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, opcode } from "../../opcode.js";
import { endOfEvacuation } from "../children.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options } = invocation;
  const [name = ""] = args;
  const result = await runOpcode(invocation, changeGroupOpcode(name, options));
  return endOfEvacuation(invocation, result, {
    done: `Instance '${name}' changed group successfully.`,
    failed: (count) => `There were ${count} errors while changing group of instance '${name}'.`,
  });
}

export function changeGroupOpcode(name: string, options: OptionValues): OpcodeJson {
  const groups = options.texts("to");
  return opcode("OP_INSTANCE_CHANGE_GROUP", {
    instance_name: name,
    iallocator: options.text("iallocator"),
    target_groups: groups.length === 0 ? undefined : groups,
    early_release: ifSet(options.flag("early-release")),
  });
}
