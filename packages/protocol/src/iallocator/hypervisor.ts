/**
 * Hypervisors that a cluster can enable; if `kvm` is the first one, the memory of the node's own system is a
 * static figure.
 */
export const hypervisors = ["kvm", "xen-pvm", "xen-hvm", "chroot", "lxc", "fake"] as const;
/** One of `hypervisors`. */
export type Hypervisor = (typeof hypervisors)[number];
