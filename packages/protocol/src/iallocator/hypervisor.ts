/** Hypervisors, as a cluster enables them; `kvm` as the first one makes node memory a fixed figure. */
export const hypervisors = ["kvm", "xen-pvm", "xen-hvm", "chroot", "lxc", "fake"] as const;
export type Hypervisor = (typeof hypervisors)[number];
