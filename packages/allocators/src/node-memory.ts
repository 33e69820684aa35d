/** Memory that is set aside for a node's own system. */
import type { Snapshot } from "@ganeti-ts/config";
import { kvmNodeMemoryMib } from "@ganeti-ts/htools";

/**
 * In MiB, as placement counts it: where KVM is the default hypervisor a fixed figure, because nodes report what is active there,
 * memory of guests included; else what the node reports.
 */
export function nodeMemoryMib({ cluster }: Snapshot, reportedMib: number): number {
  const given = cluster.default_iallocator_params["static-kvm-node-memory"] ?? kvmNodeMemoryMib;
  const isFixed = cluster.enabled_hypervisors[0] === "kvm" && Number(given) > 0;
  return isFixed ? Number(given) : reportedMib;
}
