/** Nodes that opcodes name. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeObject } from "@ganeti-ts/protocol";
import { PrereqError } from "../errors.js";

/** The node that is meant; a UUID beside the name guards against another one of that name. @throws PrereqError, ConfigError */
export function namedNode(
  now: Snapshot,
  op: { readonly node_name: string; readonly node_uuid?: string | undefined },
): NodeObject {
  const node = now.expectNode(op.node_name);
  if (op.node_uuid === undefined || op.node_uuid === node.uuid) return node;
  throw new PrereqError(
    "resource_not_unique",
    `The nodes UUID '${node.uuid}' does not match the expected UUID '${op.node_uuid}' for node` +
      ` '${node.name}'. Maybe the node changed since you submitted this job.`,
  );
}
