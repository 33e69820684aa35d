/** Builders for a small healthy cluster and its objects. */
import type {
  ClusterData,
  GroupData,
  InstanceData,
  InstancePolicy,
  InstanceSpec,
  NodeData,
} from "@ganeti-ts/protocol";

/** Node `node1` of the first group: 64 GiB memory, 1 TiB disk, 16 CPUs, nothing on it. */
export function aNode(change: Partial<NodeData> = {}): NodeData {
  const memoryTotalMib = change.memoryTotalMib ?? 65536;
  const memoryNodeMib = change.memoryNodeMib ?? 1024;
  const diskTotalMib = change.diskTotalMib ?? 1048576;
  const spindleTotal = change.spindleTotal ?? 4;
  return {
    name: "node1",
    groupIndex: 0,
    offline: false,
    master: false,
    memoryTotalMib,
    memoryNodeMib,
    memoryFreeMib: memoryTotalMib - memoryNodeMib,
    diskTotalMib,
    diskFreeMib: diskTotalMib,
    cpuTotal: 16,
    cpuNode: 1,
    spindleTotal,
    spindleFree: spindleTotal,
    exclusiveStorage: false,
    tags: [],
    cpuSpeed: 1,
    ...change,
  };
}

/** Instance `instance1`, running and not placed: 1 GiB memory, one drbd disk of 10 GiB, 1 CPU. */
export function anInstance(change: Partial<InstanceData> = {}): InstanceData {
  const disks = change.disks ?? [{ sizeMib: 10240, spindles: undefined }];
  const diskTemplate = change.diskTemplate ?? "drbd";
  // DRBD adds 128 MiB of metadata to each disk.
  const metadataMib = diskTemplate === "drbd" ? 128 : 0;
  return {
    name: "instance1",
    memoryMib: 1024,
    diskMib: disks.reduce((total, { sizeMib }) => total + sizeMib + metadataMib, 0),
    disks,
    vcpus: 1,
    spindleUse: 1,
    diskTemplate,
    status: "running",
    autoBalance: true,
    forthcoming: false,
    tags: [],
    networks: [null],
    primary: -1,
    secondary: -1,
    ...change,
  };
}

/** Group `default`: preferred, with a policy that accepts every usual instance. */
export function aGroup(change: Partial<GroupData> = {}): GroupData {
  return {
    name: "default",
    uuid: "00000000-0000-4000-8000-000000000000",
    allocationPolicy: "preferred",
    networks: [],
    tags: [],
    policy: aPolicy(),
    ...change,
  };
}

/** A policy from the smallest spec to 32 GiB memory, 1 TiB per disk, 16 CPUs and 16 disks. */
export function aPolicy(change: Partial<InstancePolicy> = {}): InstancePolicy {
  const max = aSpec({
    memoryMib: 32768,
    cpuCount: 16,
    diskMib: 1048576,
    diskCount: 16,
    nicCount: 8,
    spindleUse: 8,
  });
  return {
    minMax: [{ min: aSpec(), max }],
    std: aSpec({ memoryMib: 1024, diskMib: 10240 }),
    diskTemplates: ["drbd", "plain", "ext"],
    vcpuRatio: 4,
    spindleRatio: 32,
    ...change,
  };
}

/** The smallest spec: 128 MiB memory, 1 GiB disk, one of everything else. */
export function aSpec(change: Partial<InstanceSpec> = {}): InstanceSpec {
  return {
    memoryMib: 128,
    cpuCount: 1,
    diskMib: 1024,
    diskCount: 1,
    nicCount: 1,
    spindleUse: 1,
    ...change,
  };
}

/** One group of three empty nodes, `node1` to `node3`. */
export function aCluster(change: Partial<ClusterData> = {}): ClusterData {
  return {
    groups: [aGroup()],
    nodes: ["node1", "node2", "node3"].map((name) => aNode({ name })),
    instances: [],
    tags: [],
    policy: undefined,
    hypervisor: undefined,
    ...change,
  };
}
