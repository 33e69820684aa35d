/** gnt-instance remove, rename and repair. */
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode, runs } from "../../jobs/follow.js";
import { fromOptions, opcode } from "../../opcode.js";

export const remove = runs(
  ({ args: [name = ""], options }) => removeOpcode(name, options),
  async (invocation) =>
    invocation.options.flag("force") ||
    invocation.ask.confirm(await questionAbout(invocation), "--force"),
);

/**
 * The question depends on whether data or only a reservation is lost. @throws GanetiError if there
 * is no such instance
 */
async function questionAbout({ args, cluster }: Invocation): Promise<string> {
  const [name = ""] = args;
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
    ...fromOptions(options, "ignore-failures", "shutdown-timeout"),
  });

export async function rename(invocation: Invocation): Promise<ExitCode> {
  const { options, ask, args, out } = invocation;
  const [from = "", to = ""] = args;
  if (!options.flag("force") && options.flag("no-name-check")) {
    const question =
      "As you disabled the check of the DNS entry, please verify" +
      ` that '${to}' is a FQDN. Continue?`;
    if (!(await ask.confirm(question, "--force"))) return 1;
  }
  const name = await runOpcode(invocation, renameOpcode(from, to, options));
  if (name) out.line(`Instance '${from}' renamed to '${String(name)}'`);
  return 0;
}

/** The new name is resolved and its address checked, unless disabled. */
export const renameOpcode = (from: string, to: string, options: OptionValues): OpcodeJson =>
  opcode("OP_INSTANCE_RENAME", {
    instance_name: from,
    new_name: to,
    ip_check: options.flag("ip-check") || !options.flag("no-ip-check"),
    name_check: options.flag("name-check") || !options.flag("no-name-check"),
  });

/** Recreates disks on the primary that have lost their storage. */
export async function repair(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [name = ""] = args;
  const repaired = await runOpcode(
    invocation,
    opcode("OP_INSTANCE_REPAIR", {
      instance_name: name,
      ...fromOptions(options, "early-release", "ignore-ipolicy"),
    }),
  );
  if (Array.isArray(repaired)) out.line(repairedText(name, repaired.map(Number)));
  return 0;
}

const repairedText = (name: string, disks: readonly number[]): string =>
  disks.length === 0
    ? `Instance '${name}' has no faulty disks on its primary node`
    : `Repaired disk${disks.length === 1 ? "" : "s"} ${disks.join(", ")} of instance '${name}'`;
