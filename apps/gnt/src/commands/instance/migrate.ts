/** `gnt-instance migrate`. */

import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, ifUnset, opcode } from "../../opcode.js";
import { targetOf } from "./failover.js";
import { ensureExists } from "./selection.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, ask, args } = invocation;
  const [name = ""] = args;
  const wanted = migrateOpcode(name, options);
  if (!options.flag("force")) {
    await ensureExists(invocation, name);
    const question = options.flag("cleanup")
      ? `Instance ${name} will be recovered from a failed migration.` +
        " Note that the migration procedure (including cleanup)"
      : `Instance ${name} will be migrated. Note that migration`;
    const risk =
      " might impact the instance if anything goes wrong (e.g. due to bugs in the hypervisor)." +
      " Continue?";
    if (!(await ask.confirm(question + risk, "--force"))) return 1;
  }
  await runOpcode(invocation, wanted);
  return 0;
}

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
    cleanup: ifSet(options.flag("cleanup")),
    ...targetOf(options),
    allow_failover: ifSet(options.flag("allow-failover")),
    allow_runtime_changes: ifUnset(options.flag("no-runtime-changes")),
    ignore_ipolicy: ifSet(options.flag("ignore-ipolicy")),
    ignore_hvversions: ifSet(options.flag("ignore-hvversions")),
  });
}
