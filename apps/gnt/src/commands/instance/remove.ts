/** `gnt-instance remove`. */

import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, opcode } from "../../opcode.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, ask, args } = invocation;
  const [name = ""] = args;
  if (
    !options.flag("force") &&
    !(await ask.confirm(await questionAbout(invocation, name), "--force"))
  ) {
    return 1;
  }
  await runOpcode(invocation, removeOpcode(name, options));
  return 0;
}

/**
 * The question depends on whether data or only a reservation is lost. @throws GanetiError if there
 * is no such instance
 */
async function questionAbout({ cluster }: Invocation, name: string): Promise<string> {
  const wanted = ["|", ["==", "name", name], ["==", "uuid", name]] as const;
  const { data } = await cluster.query("instance", ["forthcoming"], wanted);
  const [row] = data;
  if (row === undefined) {
    throw prereqError(`Instance '${name}' does not exist`, "unknown_entity");
  }
  if (row[0]?.[1] === true) return `This will drop the reservation ${name}. Continue?`;
  return (
    `This will remove the volumes of the instance ${name} (including mirrors),` +
    " thus removing all the data of the instance. Continue?"
  );
}

export const removeOpcode = (name: string, options: OptionValues): OpcodeJson =>
  opcode("OP_INSTANCE_REMOVE", {
    instance_name: name,
    ignore_failures: ifSet(options.flag("ignore-failures")),
    shutdown_timeout: options.integer("shutdown-timeout"),
  });
