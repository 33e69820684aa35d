/** `gnt-storage diagnose`. */
import { compareNaturally, type Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";

/** A provider found on a node: path, validity, fault, and its parameters. */
type Found = readonly [
  path: string,
  valid: boolean,
  why: string,
  parameters: readonly (readonly [string, string])[],
];

/** Name, findings by node, usability by group. */
type Row = readonly [
  string,
  Readonly<Record<string, readonly Found[]>>,
  Readonly<Record<string, boolean>>,
];

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { out } = invocation;
  const fields = ["name", "node_status", "nodegroup_status"];
  const rows = (await runOpcode(
    invocation,
    opcode("OP_EXT_STORAGE_DIAGNOSE", { output_fields: fields, names: [] }),
  )) as readonly Row[];
  if (rows.length === 0) throw new Ending("Can't get the list of ExtStorage providers");
  out.document(
    rows.map((row) => Object.fromEntries(fields.map((name, at) => [name, row[at]]))) as Json,
  );
  for (const line of rows.flatMap(diagnosisLines)) out.line(line);
  return 0;
}

function diagnosisLines([name, byNode, byGroup]: Row): string[] {
  const nodes = goodFirst(byNode, (found) => found[0]?.[1] === true);
  const groups = goodFirst(byGroup, (valid) => valid);
  return [
    ...[`Provider: ${name}`, "---"],
    ...nodes.map((node) => `  Node: ${node}, status: ${nodeText(byNode[node]?.[0])}`),
    "  --",
    ...groups.map(
      (group) => `  For nodegroup: ${group} --> ${byGroup[group] ? "valid" : "invalid"}`,
    ),
    "",
  ];
}

function goodFirst<Value>(
  values: Readonly<Record<string, Value>>,
  isGood: (value: Value) => boolean,
): string[] {
  const names = Object.keys(values).sort(compareNaturally);
  const good = names.filter((name) => isGood(values[name] as Value));
  return [...good, ...names.filter((name) => !good.includes(name))];
}

function nodeText(found: Found | undefined): string {
  if (found === undefined) return "ExtStorage provider not found";
  const [path, valid, why, parameters] = found;
  const names = parameters.map(([name]) => name).join(", ");
  const taken = names === "" ? "[no parameters]" : `[parameters: ${names}]`;
  return `${valid ? "valid" : `invalid - ${why}`} (path: ${path}) ${taken}`;
}
