// Clusters of any size, the same every time.

import {
  type ConfigurationContent,
  defaultPolicy,
  initialConfiguration,
  randomUuid,
} from "@ganeti-ts/config";
import { DiskUuid, InstanceUuid, type RealDisk, type RealInstance } from "@ganeti-ts/protocol";
import { seeded } from "../test/cluster.js";

/** Twenty instances per node, each with a NIC and a drbd disk; two nodes at least. */
export function clusterOf(instanceCount: number): ConfigurationContent {
  const random = seeded(instanceCount);
  const nodeCount = Math.max(2, Math.ceil(instanceCount / 20));
  const nodeOf = (i: number) => ({
    name: `node${i}.example.com`,
    primary_ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
  });
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: Array.from({ length: nodeCount }, (_, i) => nodeOf(i)),
    cluster: {
      ipolicy: defaultPolicy(["drbd", "plain"]),
      highest_used_port: 11_000 + instanceCount,
    },
    random,
    now: 1,
  });
  const disks: RealDisk[] = [];
  const stamps = { serial_no: 1, ctime: 1, mtime: 1 };
  const instances = Array.from({ length: instanceCount }, (_, i): RealInstance => {
    const [primary, secondary] = [content.nodes[i % nodeCount], content.nodes[(i + 1) % nodeCount]];
    if (primary === undefined || secondary === undefined) throw new Error("there are nodes");
    const nodes = [primary.uuid, secondary.uuid];
    const child = (part: string, size: number) => ({
      ...({ uuid: DiskUuid.parse(randomUuid(random)), dev_type: "plain", nodes, size } as const),
      logical_id: ["xenvg", `${i}.disk0_${part}`],
      children: [],
      params: {},
    });
    const disk: RealDisk = {
      uuid: DiskUuid.parse(randomUuid(random)),
      dev_type: "drbd",
      nodes,
      size: 10_240,
      logical_id: [...nodes, 11_001 + i, 2 * i, 2 * i + 1, `secret${i}`],
      children: [child("data", 10_240), child("meta", 128)],
      iv_name: "disk/0",
      mode: "rw",
      params: {},
      ...stamps,
    };
    disks.push(disk);
    const octets = [i >> 16, (i >> 8) & 255, i & 255].map((n) => n.toString(16).padStart(2, "0"));
    const nic = { uuid: randomUuid(random), mac: `aa:00:00:${octets.join(":")}`, nicparams: {} };
    return {
      uuid: InstanceUuid.parse(randomUuid(random)),
      name: `instance${i}.example.com`,
      primary_node: primary.uuid,
      os: "debian",
      hypervisor: "kvm",
      admin_state: "up",
      hvparams: {},
      osparams: {},
      osparams_private: {},
      admin_state_source: "admin",
      beparams: { maxmem: 1024, minmem: 1024, vcpus: 2 },
      disks_active: true,
      disks: [disk.uuid],
      nics: [nic],
      tags: ["env:bench"],
      ...stamps,
    };
  });
  return { ...content, instances, disks };
}
