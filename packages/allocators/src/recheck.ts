/** allocationFault: checks that an allocation respects reservations, which programs may not know. */
import { usesNodeSpace } from "@ganeti-ts/protocol";
import type { ClusterEntries, InstanceEntry, NodeEntry } from "./entries.js";
import type { WantedEntry } from "./requests.js";

/** Why an instance cannot be placed on these nodes, as if they had been chosen manually; undefined if it can. O(instances). */
export function allocationFault(
  cluster: ClusterEntries,
  wanted: WantedEntry,
  names: readonly string[],
): string | undefined {
  const nodes = new Map(cluster.nodes);
  for (const [position, name] of names.entries()) {
    const node = nodes.get(name);
    if (node === undefined) return `Node '${name}' not known`;
    if (node.offline) return `Can't use offline node ${name}`;
    if (node.drained) return `Can't use drained node ${name}`;
    if (!node.vm_capable) return `Node is not vm_capable: ${name}`;
    const fault = lack(cluster, wanted, name, node, position === 0);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function lack(
  { instances }: ClusterEntries,
  wanted: WantedEntry,
  name: string,
  node: NodeEntry,
  isPrimary: boolean,
): string | undefined {
  let memory = node.free_memory ?? 0;
  let disk = node.free_disk ?? 0;
  for (const [, instance] of instances) {
    const position = instance.forthcoming ? instance.nodes.indexOf(name) : -1;
    if (position < 0) continue;
    if (position === 0) memory -= instance.memory;
    disk -= localSpace(instance);
  }
  if (isPrimary && wanted.memory > memory) {
    return `Not enough memory on node ${name} for creating instance ${wanted.name}: needed ${wanted.memory} MiB, available ${memory} MiB`;
  }
  const needed = localSpace(wanted);
  if (needed > disk) {
    return `Not enough disk space on target node ${name}: required ${needed} MiB, available ${disk} MiB`;
  }
  return undefined;
}

const localSpace = (entry: InstanceEntry | WantedEntry): number =>
  usesNodeSpace(entry.disk_template) ? entry.disk_space_total : 0;
