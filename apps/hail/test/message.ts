// Allocator messages for tests: a small cluster on the wire, one thing changed at a time.

type Wire = Record<string, unknown>;

const spec = (memory: number, cpus: number, disk: number, disks: number, spindles: number) => ({
  "memory-size": memory,
  "cpu-count": cpus,
  "disk-size": disk,
  "disk-count": disks,
  "nic-count": disks,
  "spindle-use": spindles,
});

/** Open to every usual instance. */
export const wireGroup = (change: Wire = {}): Wire => ({
  name: "default",
  alloc_policy: "preferred",
  networks: [],
  tags: [],
  ipolicy: {
    minmax: [{ min: spec(128, 1, 1024, 1, 1), max: spec(32768, 8, 1048576, 16, 12) }],
    std: spec(1024, 1, 10240, 1, 1),
    "disk-templates": ["drbd", "plain", "ext"],
    "vcpu-ratio": 4,
    "spindle-ratio": 32,
  },
  ...change,
});

/** 32 GiB of memory, 1000 GiB of disk, 8 CPUs, nothing on it. */
export const wireNode = (change: Wire = {}): Wire => ({
  group: "g1",
  offline: false,
  drained: false,
  ndparams: { exclusive_storage: false, spindle_count: 12 },
  tags: [],
  free_spindles: 0,
  total_memory: 32768,
  reserved_memory: 1024,
  free_memory: 31744,
  total_disk: 1024000,
  free_disk: 1024000,
  total_cpus: 8,
  reserved_cpus: 1,
  ...change,
});

/** 1 GiB of memory, one disk of 10 GiB, one CPU; `nodes` only for those that exist. */
export const wireInstance = (change: Wire = {}): Wire => ({
  memory: 1024,
  vcpus: 1,
  disk_template: "ext",
  disk_space_total: 10240,
  disks: [{ size: 10240 }],
  nics: [],
  tags: [],
  spindle_use: 1,
  ...change,
});

/** To place `web` on one of three empty nodes. */
export const wireMessage = (change: Wire = {}): Wire => ({
  cluster_tags: [],
  enabled_hypervisors: ["xen-pvm"],
  nodegroups: { g1: wireGroup() },
  nodes: { node1: wireNode(), node2: wireNode(), node3: wireNode() },
  instances: {},
  request: { type: "allocate", name: "web", required_nodes: 1, ...wireInstance() },
  ...change,
});
