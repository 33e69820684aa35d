/** `gnt-storage info`. */
import { compareNaturally, type Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";

/** Name, usability by group, parameters with their descriptions. */
type Row = readonly [
  string,
  Readonly<Record<string, boolean>>,
  readonly (readonly [string, string])[],
];

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, out } = invocation;
  const fields = ["name", "nodegroup_status", "parameters"];
  const rows = (await runOpcode(
    invocation,
    opcode("OP_EXT_STORAGE_DIAGNOSE", { output_fields: fields, names: [] }),
  )) as readonly Row[];
  if (rows.length === 0) throw new Ending("Can't get the ExtStorage providers list");
  const shown = args.length === 0 ? rows : rows.filter(([name]) => args.includes(name));
  out.document(
    shown.map((row) => Object.fromEntries(fields.map((name, at) => [name, row[at]]))) as Json,
  );
  const absent = args.filter((name) => !rows.some(([known]) => known === name));
  const lines = [
    ...shown.flatMap(providerLines),
    ...absent.flatMap((name) => [`${name}: Not Found`, ""]),
  ];
  for (const line of lines) out.line(line);
  return 0;
}

function providerLines([name, byGroup, parameters]: Row): string[] {
  const groups = Object.keys(byGroup).filter((group) => byGroup[group]);
  if (groups.length === 0) return [`${name}:`, "  - Invalid for all nodegroups", ""];
  return [
    `${name}:`,
    "  - Valid for nodegroups:",
    ...groups.sort(compareNaturally).map((group) => `      ${group}`),
    "  - Supported parameters:",
    ...parameters.map(([parameter, says]) => `      ${parameter}: ${says}`),
    "",
  ];
}
