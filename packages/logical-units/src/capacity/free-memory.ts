/**
 * Free memory of nodes. A node reports what its kernel has free: memory that QEMU has not touched yet is free there, although it
 * was given to a guest. Ganeti checks this figure alone. Where memory is reserved, or is to be, memory that was given does not
 * count as free.
 */
import { nodeMemoryMib } from "@ganeti-ts/allocators";
import { hypervisorOnNode, type Snapshot } from "@ganeti-ts/config";
import type { HypervisorFigures, NodeAnswer } from "@ganeti-ts/node-calls";
import type { InstanceObject, NodeUuid } from "@ganeti-ts/protocol";
import { ask } from "../unit/effects.js";
import type { UnitContext } from "../unit/unit.js";

/** The reservations of a node, without claims. O(forthcoming instances of the node). */
export const reservationsOn = (
  now: Snapshot,
  node: NodeUuid,
  except: ReadonlySet<string>,
): readonly InstanceObject[] => now.forthcomingOfNode(node).filter((one) => !except.has(one.uuid));

/** Memory (MiB) given to the instances that run on the node. */
export async function givenMemory(
  context: UnitContext,
  node: NodeUuid,
): Promise<NodeAnswer<number>> {
  const { now } = context;
  const hypervisors = now.cluster.enabled_hypervisors.map((name) => hypervisorOnNode(now, name));
  const answer = await ask(context, node, "all_instances_info", { hypervisors });
  if (!answer.ok) return answer;
  const sizes = Object.values(answer.value).map(({ memoryMib }) => memoryMib);
  return { ok: true, value: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Reported, and neither given to instances nor set aside for the node. `givenMib`: undefined if only the report counts. */
export function freeMemoryMib(
  now: Snapshot,
  { memoryTotalMib, memoryFreeMib, memoryNodeMib }: HypervisorFigures,
  givenMib: number | undefined,
): number {
  if (givenMib === undefined) return memoryFreeMib;
  return Math.min(memoryFreeMib, memoryTotalMib - nodeMemoryMib(now, memoryNodeMib) - givenMib);
}
