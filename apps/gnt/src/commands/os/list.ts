/** `gnt-os list`. */
import type { ExitCode } from "../../command.js";
import { ServerLacks } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";
import { plainTable } from "../../plain-table.js";
import { osNames } from "./names.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const names = await knownNames(invocation);
  out.document(names);
  const lines = plainTable(
    [{ title: "Name" }],
    names.map((name) => [name]),
    { headers: !options.flag("no-headers") },
  );
  for (const line of lines) out.line(line);
  return 0;
}

/** A server of Ganeti returns only names. */
async function knownNames(invocation: Invocation): Promise<readonly string[]> {
  try {
    const listed = await runOpcode(
      invocation,
      opcode("OP_OS_DIAGNOSE", { output_fields: ["name", "variants"], names: [] }),
    );
    return osNames(listed as readonly (readonly [string, readonly string[]])[]);
  } catch (error) {
    if (!(error instanceof ServerLacks)) throw error;
    return (await invocation.cluster.call("GET", "/2/os")) as readonly string[];
  }
}
