/** Lookup of the node that an opcode names, which may have changed since the job was submitted. */
import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { NodeObject } from "@ganeti-ts/protocol";

/**
 * @throws PrereqError `resource_not_unique` if its UUID differs from the expected one, ConfigError
 * if it is unknown
 */
export function namedNode(
  now: Snapshot,
  { node_name, node_uuid }: { readonly node_name: string; readonly node_uuid?: string | undefined },
): NodeObject {
  const node = now.expectNode(node_name);
  if (node_uuid === undefined || node_uuid === node.uuid) return node;
  throw new PrereqError(
    "resource_not_unique",
    `The nodes UUID '${node.uuid}' does not match the expected UUID '${node_uuid}' for node '${node.name}'. Maybe the node changed since you submitted this job.`,
  );
}
