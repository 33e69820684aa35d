/** gnt-instance failover, migrate, move and change-group. */
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode, runs } from "../../jobs/follow.js";
import { fromOptions, ifUnset, opcode } from "../../opcode.js";
import { endOfEvacuation } from "../children.js";
import { ensureExists } from "./selection.js";

export const failover = runs(
  ({ args: [name = ""], options }) => failoverOpcode(name, options),
  async (invocation) => {
    const { options, ask, args } = invocation;
    const [name = ""] = args;
    if (options.flag("force")) return true;
    await ensureExists(invocation, name);
    const question =
      `Failover will happen to image ${name}.` +
      " This requires a shutdown of the instance. Continue?";
    if (!(await ask.confirm(question, "--force"))) return false;
    const offline =
      `To failover instance ${name}, the source node must be marked offline first.` +
      " Is this already the case?";
    return !options.flag("ignore-consistency") || ask.confirm(offline, "--force");
  },
);

/** @throws GanetiError if both options give a target */
export function failoverOpcode(name: string, options: OptionValues): OpcodeJson {
  return opcode("OP_INSTANCE_FAILOVER", {
    instance_name: name,
    ...fromOptions(options, "ignore-consistency", "shutdown-timeout", "ignore-ipolicy", "cleanup"),
    ...targetOf(options),
  });
}

/** @throws GanetiError if both options give a target */
function targetOf(options: OptionValues) {
  const [iallocator, target_node] = [options.text("iallocator"), options.text("target-node")];
  if (iallocator !== undefined && target_node !== undefined) {
    throw prereqError("Specify either an iallocator (-I), or a target node (-n) but not both");
  }
  return { iallocator, target_node };
}

export const migrate = runs(
  ({ args: [name = ""], options }) => migrateOpcode(name, options),
  async (invocation) => {
    const { options, ask, args } = invocation;
    const [name = ""] = args;
    if (options.flag("force")) return true;
    await ensureExists(invocation, name);
    const question = options.flag("cleanup")
      ? `Instance ${name} will be recovered from a failed migration.` +
        " Note that the migration procedure (including cleanup)"
      : `Instance ${name} will be migrated. Note that migration`;
    const risk =
      " might impact the instance if anything goes wrong (e.g. due to bugs in the hypervisor)." +
      " Continue?";
    return ask.confirm(question + risk, "--force");
  },
);

/** @throws GanetiError */
export function migrateOpcode(name: string, options: OptionValues): OpcodeJson {
  const isNonLive = options.flag("non-live");
  const mode = options.text("migration-mode");
  if (isNonLive && mode !== undefined) {
    throw prereqError("Only one of the --non-live and --migration-mode options can be passed");
  }
  return opcode("OP_INSTANCE_MIGRATE", {
    instance_name: name,
    mode: isNonLive ? "non-live" : mode,
    ...fromOptions(options, "cleanup", "allow-failover", "ignore-ipolicy", "ignore-hvversions"),
    ...targetOf(options),
    allow_runtime_changes: ifUnset(options.flag("no-runtime-changes")),
  });
}

export const move = runs(
  ({ args: [name = ""], options }) => moveOpcode(name, options),
  async ({ args: [name = ""], options, ask }) => {
    const question = `Instance ${name} will be moved. This requires a shutdown of the instance. Continue?`;
    return options.flag("force") || ask.confirm(question, "--force");
  },
);

/** @throws GanetiError without a target */
export function moveOpcode(name: string, options: OptionValues): OpcodeJson {
  const target = options.text("node");
  if (target === undefined) throw prereqError("Target node must be specified");
  return opcode("OP_INSTANCE_MOVE", {
    instance_name: name,
    target_node: target,
    ...fromOptions(options, "compress", "shutdown-timeout", "ignore-consistency", "ignore-ipolicy"),
  });
}

export async function changeGroup(invocation: Invocation): Promise<ExitCode> {
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
    ...fromOptions(options, "iallocator", "early-release"),
    target_groups: groups.length === 0 ? undefined : groups,
  });
}
