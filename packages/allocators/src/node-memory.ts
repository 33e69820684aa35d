/** Memory reserved for a node's own system. */
import type { Snapshot } from "@ganeti-ts/config";
import { kvmNodeMemoryMib } from "@ganeti-ts/htools";

/**
 * In MiB, as placement counts it: a fixed figure where KVM is the default hypervisor, because nodes then report all active
 * memory, including that of guests; otherwise the reported value.
 */
export function nodeMemoryMib({ cluster }: Snapshot, reportedMib: number): number {
  const given = cluster.default_iallocator_params["static-kvm-node-memory"] ?? kvmNodeMemoryMib;
  const isFixed = cluster.enabled_hypervisors[0] === "kvm" && Number(given) > 0;
  return isFixed ? Number(given) : reportedMib;
}
