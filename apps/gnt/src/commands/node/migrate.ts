/** gnt-node migrate. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { endOfEvacuation } from "../children.js";
import { migrateOpcode } from "./opcodes.js";
import { primariesOf } from "./primaries.js";

/** Exit code 13 if the user declines. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
  const { name, instances } = await primariesOf(invocation, args[0] as string);
  if (instances.length === 0) {
    out.line(`No primary instances on node ${name}, exiting.`);
    return 0;
  }
  const question = `Migrate instance(s) ${instances.join(", ")}?`;
  if (!options.flag("force") && !(await ask.confirm(question, "--force"))) return 13;
  const result = await runOpcode(invocation, migrateOpcode(args[0] as string, options));
  return endOfEvacuation(invocation, result, {
    done: "All instances migrated successfully.",
    failed: (count) => `There were ${count} errors during the node migration.`,
  });
}
