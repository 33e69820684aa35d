/** gnt-storage diagnose and info. */
import { compareNaturally } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { asObjects, diagnosed } from "../diagnosed.js";

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

export async function diagnose(invocation: Invocation): Promise<ExitCode> {
  const { out } = invocation;
  const fields = ["name", "node_status", "nodegroup_status"];
  const rows = await diagnosed<Row>(invocation, "OP_EXT_STORAGE_DIAGNOSE", fields);
  if (rows.length === 0) throw new Ending("Can't get the list of ExtStorage providers");
  out.document(asObjects(rows, fields));
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

/** Name, usability by group, parameters with their descriptions. */
type InfoRow = readonly [
  string,
  Readonly<Record<string, boolean>>,
  readonly (readonly [string, string])[],
];

export async function info(invocation: Invocation): Promise<ExitCode> {
  const { args, out } = invocation;
  const fields = ["name", "nodegroup_status", "parameters"];
  const rows = await diagnosed<InfoRow>(invocation, "OP_EXT_STORAGE_DIAGNOSE", fields);
  if (rows.length === 0) throw new Ending("Can't get the ExtStorage providers list");
  const shown = args.length === 0 ? rows : rows.filter(([name]) => args.includes(name));
  out.document(asObjects(shown, fields));
  const absent = args.filter((name) => !rows.some(([known]) => known === name));
  const lines = [
    ...shown.flatMap(providerLines),
    ...absent.flatMap((name) => [`${name}: Not Found`, ""]),
  ];
  for (const line of lines) out.line(line);
  return 0;
}

function providerLines([name, byGroup, parameters]: InfoRow): string[] {
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
