/** gnt-group info and show-ispecs-cmd. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { ordered, printTree, type Tree } from "../../tree.js";
import { policyOptions } from "../cluster/policy-command.js";
import { byName, type Values } from "../named.js";
import { groupPolicyTree, parameterTree } from "../parameter-tree.js";

const fields = [
  ...["name", "ndparams", "custom_ndparams", "diskparams", "custom_diskparams"],
  ...["ipolicy", "custom_ipolicy"],
];

export async function info(invocation: Invocation): Promise<ExitCode> {
  const groups = await byName(invocation, "group", fields, invocation.args);
  printTree(invocation.out, groups.map(groupTree));
  return 0;
}

function groupTree(group: Values): Tree {
  const of = (field: string) => (group[field] ?? {}) as JsonObject;
  return ordered(
    ["Node group", group.name ?? null],
    ["Node parameters", parameterTree(of("custom_ndparams"), of("ndparams"))],
    ["Disk parameters", parameterTree(of("custom_diskparams"), of("diskparams"))],
    ["Instance policy", groupPolicyTree(of("custom_ipolicy"), of("ipolicy"))],
  );
}

/** Prints the commands that create groups with these instance limits. */
export async function showIspecsCommand(invocation: Invocation): Promise<ExitCode> {
  const { options, out, args } = invocation;
  const field = options.flag("include-defaults") ? "ipolicy" : "custom_ipolicy";
  for (const group of await byName(invocation, "group", ["name", field], args)) {
    // Groups have no standard size.
    const { std: _, ...policy } = group[field] as JsonObject;
    out.line(`gnt-group add${policyOptions(policy as JsonObject)} ${group.name}`);
  }
  return 0;
}
