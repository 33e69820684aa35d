/** Nodes of an instance, by name. */
import { type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import type { InstanceUuid } from "@ganeti-ts/protocol";

/** Names of the primary and the secondaries of an instance. */
export function nodesOf(
  now: Snapshot,
  uuid: InstanceUuid,
): { readonly primary: readonly string[]; readonly secondaries: readonly string[] } {
  const instance = now.expectInstance(uuid);
  const { primary_node } = instance;
  const primary = primary_node === undefined ? undefined : now.node(primary_node)?.name;
  return {
    primary: primary === undefined ? [] : [primary],
    secondaries: secondaryNodes(now, instance).flatMap((node) => now.node(node)?.name ?? []),
  };
}
