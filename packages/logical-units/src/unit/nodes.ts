/** Nodes that opcodes name. */

import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { compareNaturally, type NodeObject } from "@ganeti-ts/protocol";
import { wrongInput } from "./refusals.js";

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

/** The named nodes, or all. @throws ConfigError for an unknown name */
export const wantedNodes = (now: Snapshot, names: readonly string[]): readonly NodeObject[] =>
  names.length === 0 ? [...now.nodes()] : names.map((name) => now.expectNode(name));

export const byName = (nodes: readonly NodeObject[]): readonly NodeObject[] =>
  [...nodes].sort((a, b) => compareNaturally(a.name, b.name));

/** @throws PrereqError `wrong_input` that names the unknown fields */
export function checkFields(selected: readonly string[], known: readonly string[]): void {
  const unknown = selected.filter((field) => !known.includes(field));
  if (unknown.length === 0) return;
  wrongInput(`Unknown output fields selected: ${unknown.join(",")}`);
}
