/** `gnt-os list`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";
import { osNames } from "./names.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const listed = await runOpcode(
    invocation,
    opcode("OP_OS_DIAGNOSE", { output_fields: ["name", "variants"], names: [] }),
  );
  const names = osNames(listed as readonly (readonly [string, readonly string[]])[]);
  out.document(names);
  for (const line of osTable(names, !options.flag("no-headers"))) out.line(line);
  return 0;
}

/** The title is as wide as the column; the names are not padded. */
export function osTable(names: readonly string[], headers: boolean): string[] {
  if (!headers) return [...names];
  const width = Math.max("Name".length, ...names.map(({ length }) => length));
  return ["Name".padEnd(width), ...names];
}
