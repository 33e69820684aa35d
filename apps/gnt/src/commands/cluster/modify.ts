/** gnt-cluster modify. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { endOfChildren } from "../children.js";
import { modifyOpcode } from "./modify-opcode.js";

const lvmTemplates = ["drbd", "plain"];

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const opcode = modifyOpcode(options, (text) => out.error(text));
  const enabled = options.text("enabled-disk-templates")?.split(",");
  if (enabled !== undefined) {
    if (options.text("vg-name") && !lvmTemplates.some((one) => enabled.includes(one))) {
      out.line(
        "You specified a volume group with --vg-name, but you did not enable any of the following" +
          ` lvm-based disk templates: ${lvmTemplates.join(", ")}`,
      );
    }
    if (options.text("drbd-usermode-helper") && !enabled.includes("drbd")) {
      out.line(
        "You specified a DRBD usermode helper with  --drbd-usermode-helper while DRBD is not enabled.",
      );
    }
  }
  return endOfChildren(invocation, await runOpcode(invocation, opcode));
}
