// A message as the example of the allocator document has it, and the same with the keys that the document's own list demands.
import type { JsonObject } from "./message.js";

const bare = (nodes: string[], disks: number[]): JsonObject => ({
  tags: [],
  should_run: false,
  disks: disks.map((size) => ({ mode: "w", size })),
  nics: [{ ip: null, mac: "aa:00:00:00:60:bf", bridge: "xen-br0" }],
  vcpus: 1,
  disk_template: nodes.length > 1 ? "drbd" : "plain",
  memory: 128,
  nodes,
  os: "noop+default",
});

const node = (group: string): JsonObject => ({
  total_disk: 858276,
  total_memory: 3505,
  free_memory: 3487,
  free_disk: 856740,
  reserved_memory: 200,
  total_cpus: 4,
  primary_ip: "192.0.2.1",
  secondary_ip: "192.0.2.1",
  tags: [],
  offline: false,
  drained: false,
  group,
});

/** With the keys of the example alone. */
export const exampleOfDocument = (): JsonObject => ({
  version: 2,
  cluster_name: "cluster.example.com",
  cluster_tags: [],
  enabled_hypervisors: ["xen-pvm"],
  nodegroups: { "uuid-1": { name: "default", alloc_policy: "preferred" } },
  nodes: { "node1.example.com": node("uuid-1"), "node2.example.com": node("uuid-1") },
  instances: {
    "one.example.com": bare(["node1.example.com"], [64, 512]),
    "two.example.com": bare(["node1.example.com", "node2.example.com"], [512, 256]),
  },
  request: {
    type: "allocate",
    name: "new.example.com",
    required_nodes: 2,
    disk_space_total: 3328,
    ...(({ nodes: _nodes, should_run: _run, ...rest }) => rest)(
      bare(["node1.example.com", "node2.example.com"], [1024, 2048]),
    ),
  },
});

const bounds = (memory: number, disk: number, count: number): JsonObject => ({
  "memory-size": memory,
  "cpu-count": count,
  "disk-size": disk,
  "disk-count": count,
  "nic-count": count,
  "spindle-use": 1,
});

const eachOf = (objects: unknown): JsonObject[] =>
  Object.values(objects as JsonObject) as JsonObject[];

/** With what the list of the document has beyond its example, and hail of Ganeti 3.0.2 wants. */
export function completedExample(): JsonObject {
  const message = exampleOfDocument();
  for (const group of eachOf(message.nodegroups)) {
    Object.assign(group, {
      networks: [],
      tags: [],
      ipolicy: {
        minmax: [{ min: bounds(64, 64, 1), max: bounds(32768, 1048576, 16) }],
        std: bounds(128, 1024, 1),
        "disk-templates": ["drbd", "plain"],
        "vcpu-ratio": 4,
        "spindle-ratio": 32,
      },
    });
  }
  for (const one of eachOf(message.nodes)) {
    const ndparams = { exclusive_storage: false, spindle_count: 1 };
    Object.assign(one, { ndparams, free_spindles: 0, reserved_cpus: 1, vm_capable: true });
  }
  for (const one of [...eachOf(message.instances), message.request as JsonObject]) {
    Object.assign(one, { spindle_use: 1, disk_space_total: one.disk_space_total ?? 1024 });
  }
  return message;
}
