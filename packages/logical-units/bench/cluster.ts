// A cluster of any size: mirrored instances spread over all nodes, half of them up; and its nodes' figures.

import type { LiveNode } from "@ganeti-ts/allocators";
import { initialConfiguration, Snapshot } from "@ganeti-ts/config";
import type { DiskUuid, InstanceUuid, NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";

const uuid = <Uuid extends string>(kind: number, at: number): Uuid =>
  `0000000${kind}-0000-4000-8000-${String(at).padStart(12, "0")}` as Uuid;

export function clusterOf(nodeCount: number, instanceCount: number) {
  let seed = 1;
  const random = {
    fraction: () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    },
  };
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: Array.from({ length: nodeCount }, (_, at) => ({
      name: `node${at}.example.com`,
      primary_ip: `10.0.${at >> 8}.${at & 255}`,
      ndparams: { spindle_count: 64 },
    })),
    random,
    now: 1_700_000_000,
  });
  const nodeAt = (at: number) => content.nodes[at % nodeCount]?.uuid as NodeUuid;
  const disks: RealDisk[] = [];
  const instances = Array.from({ length: instanceCount }, (_, at): RealInstance => {
    const [primary, secondary] = [
      nodeAt(at),
      nodeAt(at + 1 + (Math.floor(at / nodeCount) % (nodeCount - 1))),
    ];
    disks.push({
      uuid: uuid<DiskUuid>(2, at),
      dev_type: "drbd",
      size: 10_240,
      iv_name: "disk/0",
      mode: "rw",
      children: [],
      nodes: [primary, secondary],
      logical_id: [primary, secondary, 11_000 + at, at, at, "secret"],
    });
    return {
      uuid: uuid<InstanceUuid>(1, at),
      name: `inst${at}.example.com`,
      primary_node: primary,
      os: "noop+default",
      hypervisor: "kvm",
      hvparams: {},
      osparams: {},
      osparams_private: {},
      beparams: { maxmem: 1024, minmem: 512, vcpus: 1 },
      admin_state: at % 2 ? "up" : "down",
      admin_state_source: "admin",
      disks_active: true,
      disks: [uuid<DiskUuid>(2, at)],
      nics: [],
      tags: [],
    };
  });
  const now = Snapshot.of({ ...content, instances, disks });
  const figures: LiveNode = {
    memoryTotalMib: 262144,
    memoryNodeMib: 4096,
    memoryFreeMib: 240000,
    cpuTotal: 64,
    cpuNode: 1,
    diskTotalMib: 4_000_000,
    diskFreeMib: 3_000_000,
    spindleTotal: 0,
    spindleFree: 0,
    runningMib: new Map(),
  };
  return { now, live: new Map(content.nodes.map((node) => [node.uuid, figures])) };
}
