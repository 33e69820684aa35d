/** `gnt-instance replace-disks`. */
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, opcode } from "../../opcode.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [name = ""] = invocation.args;
  await runOpcode(invocation, replaceDisksOpcode(name, invocation.options));
  return 0;
}

/** @throws GanetiError unless exactly one option selects the side */
export function replaceDisksOpcode(name: string, options: OptionValues): OpcodeJson {
  const disks = indexes(options.text("disks"));
  const remote_node = options.text("new-secondary");
  const iallocator = options.text("iallocator");
  const ways = [
    ...(options.flag("on-primary") ? ["replace_on_primary"] : []),
    ...(options.flag("on-secondary") ? ["replace_on_secondary"] : []),
    ...(options.flag("auto") ? ["replace_auto"] : []),
    ...(remote_node === undefined ? [] : ["replace_new_secondary"]),
    ...(iallocator === undefined ? [] : ["replace_new_secondary"]),
  ];
  const [mode] = ways;
  if (ways.length !== 1) {
    throw prereqError("One and only one of the -p, -s, -a, -n and -I options must be passed");
  }
  if (mode === "replace_auto" && disks.length > 0) {
    throw prereqError("Cannot specify disks when using automatic mode");
  }
  return opcode("OP_INSTANCE_REPLACE_DISKS", {
    instance_name: name,
    mode,
    disks,
    remote_node,
    iallocator,
    early_release: ifSet(options.flag("early-release")),
    ignore_ipolicy: ifSet(options.flag("ignore-ipolicy")),
  });
}

/** `0,2`. @throws GanetiError */
function indexes(given: string | undefined): number[] {
  if (given === undefined) return [];
  return given.split(",").map((index) => {
    if (/^\s*[+-]?\d+\s*$/.test(index)) return Number(index);
    throw prereqError(
      `Invalid disk index passed: invalid literal for int() with base 10: '${index}'`,
    );
  });
}
