/** gnt-node evacuate. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { endOfEvacuation } from "../children.js";
import { byName, sortedNames } from "../named.js";
import { evacuateOpcode, evacuationMode } from "./opcodes.js";

/** Exit code 13 if the user declines. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
  const [node] = args as [string];
  if (options.has("new-secondary")) {
    out.error(
      "New secondary node given (disabling iallocator), hence evacuating secondary instances only.",
    );
  }
  const mode = evacuationMode(options);
  const fields = ["name", "pinst_list", "sinst_list"];
  const [values] = await byName(invocation, "node", fields, [node]);
  const primary = mode === "secondary-only" ? [] : ((values?.pinst_list ?? []) as string[]);
  const secondary = mode === "primary-only" ? [] : ((values?.sinst_list ?? []) as string[]);
  const instances = sortedNames([...new Set([...primary, ...secondary])]);
  if (instances.length === 0) {
    out.error(`No instances to evacuate on node(s) ${node}, exiting.`);
    return 0;
  }
  const question = `Relocate instance(s) ${instances.join(", ")} from node(s) ${node}?`;
  if (!options.flag("force") && !(await ask.confirm(question, "--force"))) return 13;
  const result = await runOpcode(invocation, evacuateOpcode(node, options));
  return endOfEvacuation(invocation, result, {
    done: "All instances evacuated successfully.",
    failed: (count) => `There were ${count} errors during the evacuation.`,
  });
}
