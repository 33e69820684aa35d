/** gnt-node failover, migrate and evacuate. */
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runJobs, runOpcode } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { endOfEvacuation } from "../children.js";
import { byName, sortedNames } from "../named.js";
import { evacuateOpcode, evacuationMode, migrateOpcode } from "./opcodes.js";

/** Exit code 2 if the user declines; 0 even if some failovers failed, as in Ganeti. */
export async function failover(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
  const { name, instances } = await primariesOf(invocation, args[0] as string);
  if (instances.length === 0) {
    out.error(`No primary instances on node ${name}, exiting.`);
    return 0;
  }
  const question = `Fail over instance(s) ${instances.map((one) => `'${one}'`).join(",")}?`;
  if (!options.flag("force") && !(await ask.confirm(question, "--force"))) return 2;
  const opcode = {
    OP_ID: "OP_INSTANCE_FAILOVER",
    ignore_consistency: options.flag("ignore-consistency"),
    ...given({ iallocator: options.text("iallocator") }),
  };
  const results = await runJobs(
    invocation,
    instances.map((instance_name) => ({
      name: instance_name,
      opcodes: [{ ...opcode, instance_name }],
    })),
  );
  const bad = results.filter(({ ok }) => !ok).length;
  out.line(
    bad === 0
      ? `All ${results.length} instance(s) failed over successfully.`
      : `There were errors during the failover:\n${bad} error(s) out of ${results.length} instance(s).`,
  );
  return 0;
}

/** Exit code 13 if the user declines. */
export async function migrate(invocation: Invocation): Promise<ExitCode> {
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

/** Exit code 13 if the user declines. */
export async function evacuate(invocation: Invocation): Promise<ExitCode> {
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

/** With the full name of the node. @throws GanetiError if there is no such node */
async function primariesOf(
  invocation: Invocation,
  node: string,
): Promise<{ readonly name: string; readonly instances: readonly string[] }> {
  const [values] = await byName(invocation, "node", ["name", "pinst_list"], [node]);
  if (values === undefined) throw prereqError(`Node '${node}' not known`, "unknown_entity");
  return { name: String(values.name), instances: sortedNames(values.pinst_list as string[]) };
}
