/** `gnt-instance repair`: recreates disks on the primary that have lost their storage. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, opcode } from "../../opcode.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [name = ""] = args;
  const repaired = await runOpcode(
    invocation,
    opcode("OP_INSTANCE_REPAIR", {
      instance_name: name,
      early_release: ifSet(options.flag("early-release")),
      ignore_ipolicy: ifSet(options.flag("ignore-ipolicy")),
    }),
  );
  if (Array.isArray(repaired)) out.line(repairedText(name, repaired.map(Number)));
  return 0;
}

const repairedText = (name: string, disks: readonly number[]): string =>
  disks.length === 0
    ? `Instance '${name}' has no faulty disks on its primary node`
    : `Repaired disk${disks.length === 1 ? "" : "s"} ${disks.join(", ")} of instance '${name}'`;
