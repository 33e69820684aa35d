/** Disks and instances as nodes get them, for tests. */
import type { DiskOnNode } from "../objects/disk.js";
import type { InstanceOnNode } from "../objects/instance.js";

/** A disk on a logical volume, for tests. `size` in MiB. */
export const aPlainDisk = (name = "data", size = 1024): DiskOnNode => ({
  uuid: `uuid-${name}`,
  dev_type: "plain",
  logical_id: ["xenvg", name],
  size,
  iv_name: "disk/0",
});

/** Between node A and node B, minor 0 on both. */
export const aDrbdDisk = (size = 1024, nodes = ["A", "B"]): DiskOnNode => ({
  uuid: "uuid-drbd",
  dev_type: "drbd",
  logical_id: [...nodes, 11000, 0, 0, "secret"],
  size,
  iv_name: "disk/0",
  children: [aPlainDisk("data", size), aPlainDisk("meta", 128)],
});

/** An instance as nodes get it, for tests; `change` replaces values. */
export const anInstance = (change: Partial<InstanceOnNode> = {}): InstanceOnNode => ({
  uuid: "uuid-web",
  name: "web.example.com",
  os: "noop+default",
  hypervisor: "kvm",
  hvparams: {},
  beparams: { minmem: 512, maxmem: 1024, vcpus: 2 },
  osparams: {},
  osparams_private: {},
  secondary_nodes: [],
  nics: [],
  disks: [],
  ...change,
});
