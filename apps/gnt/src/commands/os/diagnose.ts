/** `gnt-os diagnose`. */
import { compareNaturally } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { asObjects, diagnosed } from "../diagnosed.js";

/** A definition found in one directory: path, validity, fault, and its properties. */
type Found = readonly [
  path: string,
  valid: boolean,
  why: string,
  variants: readonly string[],
  parameters: readonly (readonly [string, string])[],
  versions: readonly number[],
  trusted: boolean,
];

/** Name, valid, variants, findings by node, hidden, blacklisted. */
type Row = readonly [
  string,
  boolean,
  readonly string[],
  Readonly<Record<string, readonly Found[]>>,
  boolean,
  boolean,
];

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { out } = invocation;
  const fields = ["name", "valid", "variants", "node_status", "hidden", "blacklisted"];
  const rows = await diagnosed<Row>(invocation, "OP_OS_DIAGNOSE", fields);
  out.document(asObjects(rows, fields));
  const nameOf = await nodeNames(invocation);
  const told = rows.map((row) => diagnosis(row, nameOf));
  for (const line of told.flatMap(({ lines }) => lines)) out.line(line);
  return told.some(({ bad }) => bad) ? 1 : 0;
}

/** Scripts get the UUIDs of nodes, as from Ganeti; people get names. */
async function nodeNames({ cluster, out }: Invocation): Promise<(node: string) => string> {
  if (out.terminal === undefined) return (node) => node;
  const { data } = await cluster.query("node", ["uuid", "name"], null);
  const names = new Map(data.map(([uuid, name]) => [String(uuid?.[1]), String(name?.[1])]));
  return (node) => names.get(node) ?? node;
}

function diagnosis(
  row: Row,
  nameOf: (node: string) => string = (node) => node,
): { readonly lines: string[]; readonly bad: boolean } {
  const [name, , variants, findings, hidden, blacklisted] = row;
  const nodes = Object.keys(findings).sort((a, b) => compareNaturally(nameOf(a), nameOf(b)));
  const isGood = (node: string) => findings[node]?.[0]?.[1] === true;
  const [good, bad] = [nodes.filter(isGood), nodes.filter((node) => !isGood(node))];
  const status = good.length > 0 ? (bad.length === 0 ? "valid" : "partial valid") : "invalid";
  const marks = `${hidden ? " [hidden]" : ""}${blacklisted ? " [blacklisted]" : ""}`;
  return {
    bad: status !== "valid",
    lines: [
      `OS: ${name} [global status: ${status}]${marks}`,
      ...(variants.length === 0 ? [] : [`  Variants: [${variants.join(", ")}]`]),
      ...[...good, ...bad].flatMap((node) => nodeLines(nameOf(node), findings[node] ?? [])),
      "",
    ],
  };
}

/** The first directory is used; definitions of the same name in others are hidden. */
function nodeLines(node: string, [first, ...others]: readonly Found[]): string[] {
  if (first === undefined) return [`  Node: ${node}, status: OS not found`];
  const [path, , , variants, parameters, versions, trusted] = first;
  const newest = Math.max(0, ...versions);
  const listed = (title: string, items: readonly string[]) =>
    items.length === 0 ? ` [no ${title}]` : ` [${title}: ${items.join(", ")}]`;
  const said = [
    `${statusText(first)} (path: ${path})`,
    versions.length === 0
      ? " [no API versions declared]"
      : ` [API versions: ${versions.join(", ")}]`,
    newest >= 15 ? listed("variants", variants) : "",
    newest >= 20
      ? listed(
          "parameters",
          parameters.map(([name]) => name),
        )
      : "",
    trusted ? " [trusted]" : " [untrusted]",
  ];
  return [
    `  Node: ${node}, status: ${said.join("")}`,
    ...others.map((one) => `    [hidden] path: ${one[0]}, status: ${statusText(one)}`),
  ];
}

const statusText = ([, valid, why]: Found): string => (valid ? "valid" : `invalid - ${why}`);
