/** The hypervisors of this node, by name. */
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { isNamed } from "../handlers.js";
import { chrootHypervisor } from "./chroot.js";
import { fakeHypervisor } from "./fake.js";
import type { Hypervisor } from "./hypervisor.js";
import { kvmHypervisor } from "./kvm/kvm.js";

/** Hypervisor of a name. Throws Ganeti's text for names that the daemon does not support. */
export type Hypervisors = (name: string) => Hypervisor;

export function hypervisors(context: NodeContext) {
  const kvm = kvmHypervisor(context);
  const table = { chroot: chrootHypervisor(context), fake: fakeHypervisor(context), kvm };
  const byName = (name: string): Hypervisor => {
    if (!isNamed(table, name)) throw new NodeFailure(`Unknown hypervisor type '${name}'`);
    return table[name];
  };
  return { byName, kvm };
}
