/** gnt-node info. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { type Entry, ordered, printTree, type Tree } from "../../tree.js";
import { byName, sortedNames, type Values } from "../named.js";
import { parameterTree } from "../parameter-tree.js";

const fields = [
  ...["name", "pip", "sip", "pinst_list", "sinst_list", "master_candidate", "drained", "offline"],
  ...["master_capable", "vm_capable", "powered", "ndparams", "custom_ndparams"],
];

export async function run(invocation: Invocation): Promise<ExitCode> {
  const nodes = await byName(invocation, "node", fields, invocation.args);
  printTree(invocation.out, nodes.map(nodeTree));
  return 0;
}

/**
 * The power state is shown only with an out-of-band helper; instances only for vm_capable nodes.
 */
function nodeTree(node: Values): Tree {
  const plain = (title: string, field: string): Entry => [title, node[field] ?? null];
  const instances = (title: string, field: string): Entry => [
    ...([title, sortedNames((node[field] ?? []) as string[])] as const),
  ];
  return ordered(
    plain("Node name", "name"),
    plain("primary ip", "pip"),
    plain("secondary ip", "sip"),
    plain("master candidate", "master_candidate"),
    plain("drained", "drained"),
    plain("offline", "offline"),
    ...(node.powered === null ? [] : [plain("powered", "powered")]),
    plain("master_capable", "master_capable"),
    plain("vm_capable", "vm_capable"),
    ...(node.vm_capable
      ? [
          instances("primary for instances", "pinst_list"),
          instances("secondary for instances", "sinst_list"),
        ]
      : []),
    [
      "node parameters",
      parameterTree(
        (node.custom_ndparams ?? {}) as JsonObject,
        (node.ndparams ?? {}) as JsonObject,
      ),
    ],
  );
}
