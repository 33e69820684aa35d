/** Query fields of exports: one row for each, and one for each node that failed to answer. */

import type { NodeBackend, NodeCaller } from "@ganeti-ts/node-calls";
import { markedOffline, type NodeAnswer } from "@ganeti-ts/node-calls";
import type { NodeObject } from "@ganeti-ts/protocol";
import { normal } from "@ganeti-ts/query";
import { type Field, field, noData, offline } from "./field.js";

export interface ExportItem {
  readonly node: NodeObject;
  /** The name of the exported instance. */
  readonly said: NodeAnswer<string>;
}

export async function collectExports(
  backend: NodeBackend,
  caller: NodeCaller,
  nodes: Iterable<NodeObject>,
): Promise<ExportItem[]> {
  const perNode = await Promise.all(
    Array.from(nodes, async (node): Promise<ExportItem[]> => {
      const said = node.offline
        ? markedOffline
        : await backend.call(node.uuid, "export_list", {}, caller);
      if (!said.ok) return [{ node, said }];
      return said.value.map((name) => ({ node, said: { ok: true, value: name } }));
    }),
  );
  return perNode.flat();
}

export const exportFields: readonly Field<ExportItem>[] = [
  field(["node", "Node", "text", "Node name"], ({ node }) => node.name, "hostname"),
  {
    definition: { name: "export", title: "Export", kind: "text", doc: "Export name" },
    entry: ({ said }) => {
      if (said.ok) return normal(said.value);
      return said.offline ? offline : noData;
    },
  },
];
