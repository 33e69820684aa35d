/** `gnt-backup list`. */
import type { FilterExpression } from "@ganeti-ts/protocol";
import type { Invocation } from "../../invocation.js";
import { list } from "../../listing.js";

export const run = (invocation: Invocation) =>
  list(invocation, {
    kind: "export",
    defaultFields: ["node", "export"],
    nameField: "node",
    status: ofNodes(invocation.options.texts("node")),
  });

/** Null for all nodes. */
const ofNodes = (nodes: readonly string[]): FilterExpression =>
  nodes.length === 0 ? null : ["|", ...nodes.map((node): FilterExpression => ["==", "node", node])];
