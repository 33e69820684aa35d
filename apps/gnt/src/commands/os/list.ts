/** `gnt-os list`. */
import type { ExitCode } from "../../command.js";
import { ServerLacks } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { plainTable } from "../../plain-table.js";
import { osNames } from "../diagnosed.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const names = await knownNames(invocation);
  out.document(names);
  const lines = plainTable(
    ["Name"],
    names.map((name) => [name]),
    { headers: !options.flag("no-headers") },
  );
  for (const line of lines) out.line(line);
  return 0;
}

/** A server of Ganeti returns only names. */
async function knownNames(invocation: Invocation): Promise<readonly string[]> {
  try {
    return await osNames(invocation);
  } catch (error) {
    if (!(error instanceof ServerLacks)) throw error;
    return (await invocation.cluster.call("GET", "/2/os")) as readonly string[];
  }
}
