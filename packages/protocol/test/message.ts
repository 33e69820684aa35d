// A small valid message of every type of request, as plain JSON, and ways to spoil it.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const requestTypes = [
  "allocate",
  "multi-allocate",
  "capacity",
  "allocate-secondary",
  "relocate",
  "node-evacuate",
  "change-group",
  "balance",
] as const;
export type RequestType = (typeof requestTypes)[number];

/** Two groups, four nodes, three instances; the names have the domain example.com in common. */
export function aMessage(type: RequestType): JsonObject {
  return {
    version: 2,
    cluster_name: "cluster.example.com",
    cluster_tags: ["htools:iextags:service"],
    enabled_hypervisors: ["xen-pvm"],
    ipolicy: aPolicy(),
    nodegroups: { "uuid-a": aGroup("alpha"), "uuid-b": aGroup("beta") },
    nodes: {
      "node1.example.com": aNode("uuid-a"),
      "node2.example.com": aNode("uuid-a"),
      "node3.example.com": aNode("uuid-b"),
      "node4.example.com": aNode("uuid-b"),
    },
    instances: {
      "web.example.com": anInstance(["node1.example.com", "node2.example.com"]),
      "db.example.com": anInstance(["node2.example.com", "node1.example.com"]),
      "mail.example.com": { ...anInstance(["node3.example.com"]), disk_template: "plain" },
    },
    request: aRequest(type),
  };
}

export function aRequest(type: RequestType): JsonObject {
  switch (type) {
    case "allocate":
      return { type, ...aWanted("new.example.com"), group_name: null };
    case "multi-allocate":
      return { type, instances: [aWanted("new1.example.com"), aWanted("new2.example.com")] };
    case "capacity":
      return { type, ...aWanted("spec.example.com"), group_name: "alpha", max_count: 3 };
    case "allocate-secondary":
      return { type, name: "mail.example.com" };
    case "relocate":
      return {
        type,
        name: "web.example.com",
        disk_space_total: 1152,
        required_nodes: 1,
        relocate_from: ["node2.example.com"],
      };
    case "node-evacuate":
      return { type, instances: ["web.example.com", "db"], evac_mode: "all" };
    case "change-group":
      return { type, instances: ["web"], target_groups: ["uuid-b"] };
    case "balance":
      return {
        type,
        max_moves: 3,
        group_name: "alpha",
        evac_mode: false,
        disk_moves: true,
        instance_moves: true,
        restricted_migration: false,
        ignore_soft_errors: false,
        min_gain: 0.01,
        min_gain_limit: 0.1,
        min_score: 1e-9,
        select_instances: ["web"],
        exclude_instances: [],
      };
  }
}

export function aNode(group: string): JsonObject {
  return {
    total_memory: 32768,
    reserved_memory: 512,
    free_memory: 24576,
    total_disk: 409600,
    free_disk: 307200,
    total_spindles: 4,
    free_spindles: 2,
    total_cpus: 8,
    reserved_cpus: 1,
    i_pri_memory: 1024,
    i_pri_up_memory: 1024,
    tags: ["rack:1"],
    primary_ip: "192.0.2.1",
    secondary_ip: "198.51.100.1",
    offline: false,
    drained: false,
    vm_capable: true,
    master_candidate: true,
    master_capable: true,
    group,
    ndparams: { spindle_count: 2, exclusive_storage: false, oob_program: null },
  };
}

export function anInstance(nodes: string[]): JsonObject {
  return {
    nodes,
    admin_state: "up",
    disks_active: true,
    ...aDescription(),
    nics: [{ mac: "aa:00:00:00:00:01", ip: null, mode: "bridged", link: "br0", bridge: "br0" }],
  };
}

function aWanted(name: string): JsonObject {
  const nics = [{ mac: "auto", ip: null, network: "network-1" }];
  return { name, required_nodes: 2, ...aDescription(), nics };
}

function aDescription(): JsonObject {
  return {
    memory: 1024,
    vcpus: 1,
    spindle_use: 1,
    disk_template: "drbd",
    disk_space_total: 1152,
    disks: [{ mode: "rw", size: 1024, spindles: 1 }],
    tags: ["service:web"],
    os: "debian-image",
    hypervisor: "xen-pvm",
  };
}

function aGroup(name: string): JsonObject {
  return { name, alloc_policy: "preferred", networks: ["network-1"], ipolicy: aPolicy(), tags: [] };
}

export function aPolicy(): JsonObject {
  return {
    minmax: [{ min: aSpec(128, 1), max: aSpec(32768, 16) }],
    std: aSpec(1024, 1),
    "disk-templates": ["drbd", "plain", "ext"],
    "vcpu-ratio": 4,
    "spindle-ratio": 32.5,
  };
}

function aSpec(size: number, count: number): JsonObject {
  return {
    "memory-size": size,
    "cpu-count": count,
    "disk-size": size,
    "disk-count": count,
    "nic-count": count,
    "spindle-use": count,
  };
}

/** Place in a message; positions in lists are numbers in words, `*` is the first key. */
export type Path = readonly string[];

/** Sets `value` at `path`, or removes the present value. Paths that do not exist change nothing. */
export function change(message: JsonObject, path: Path, value: Json | undefined): void {
  let at: Json = message;
  const keys = [...path];
  const last = keys.pop() as string;
  for (const key of keys) {
    if (at === null || typeof at !== "object") return;
    at = (at as JsonObject)[key === "*" ? (Object.keys(at)[0] ?? "") : key] ?? null;
  }
  if (at === null || typeof at !== "object") return;
  if (value !== undefined) (at as JsonObject)[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
}
