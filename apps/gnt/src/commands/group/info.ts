/** gnt-group info. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { ordered, printTree, type Tree } from "../../tree.js";
import { byName, type Values } from "../named.js";
import { groupPolicyTree, parameterTree } from "../parameter-tree.js";

const fields = [
  ...["name", "ndparams", "custom_ndparams", "diskparams", "custom_diskparams"],
  ...["ipolicy", "custom_ipolicy"],
];

export async function run(invocation: Invocation): Promise<ExitCode> {
  const groups = await byName(invocation, "group", fields, invocation.args);
  printTree(invocation.out, groups.map(groupTree));
  return 0;
}

export function groupTree(group: Values): Tree {
  const of = (field: string) => (group[field] ?? {}) as JsonObject;
  return ordered(
    ["Node group", group.name ?? null],
    ["Node parameters", parameterTree(of("custom_ndparams"), of("ndparams"))],
    ["Disk parameters", parameterTree(of("custom_diskparams"), of("diskparams"))],
    ["Instance policy", groupPolicyTree(of("custom_ipolicy"), of("ipolicy"))],
  );
}
