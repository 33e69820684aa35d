/** `gnt-backup export`. */
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, ifUnset, opcode } from "../../opcode.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [name = ""] = invocation.args;
  await runOpcode(invocation, exportOpcode(name, invocation.options));
  return 0;
}

/** @throws GanetiError if no node is given */
export function exportOpcode(name: string, options: OptionValues): OpcodeJson {
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
