/** gnt-backup export, import and remove. */
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, ifUnset, opcode } from "../../opcode.js";
import { importOpcode } from "../instance/creation.js";

export async function exportInstance(invocation: Invocation): Promise<ExitCode> {
  const [name = ""] = invocation.args;
  await runOpcode(invocation, exportOpcode(name, invocation.options));
  return 0;
}

/** @throws GanetiError if no node is given */
function exportOpcode(name: string, options: OptionValues): OpcodeJson {
  const target_node = options.text("node");
  if (target_node === undefined) throw prereqError("Target node must be specified");
  return opcode("OP_BACKUP_EXPORT", {
    instance_name: name,
    mode: "local",
    target_node,
    compress: options.text("transport-compression"),
    shutdown: ifUnset(options.flag("noshutdown")),
    shutdown_timeout: options.integer("shutdown-timeout"),
    remove_instance: ifSet(options.flag("remove-instance")),
    ignore_remove_failures: ifSet(options.flag("ignore-remove-failures")),
    zero_free_space: ifSet(options.flag("zero-free-space")),
    zeroing_timeout_fixed: options.integer("zeroing-timeout-fixed"),
    zeroing_timeout_per_mib: options.number("zeroing-timeout-per-mib"),
    long_sleep: ifSet(options.flag("long-sleep")),
  });
}

export async function importInstance(invocation: Invocation): Promise<ExitCode> {
  const [name = ""] = invocation.args;
  await runOpcode(invocation, importOpcode(name, invocation.options));
  return 0;
}

export async function remove(invocation: Invocation): Promise<ExitCode> {
  const [instance_name = ""] = invocation.args;
  await runOpcode(invocation, opcode("OP_BACKUP_REMOVE", { instance_name }));
  return 0;
}
