// Instances added directly to a test cluster's configuration.
import type { ConfigChange } from "@ganeti-ts/config";
import {
  type DiskUuid,
  type InstanceUuid,
  type NodeUuid,
  RealDisk,
  type RealInstance,
} from "@ganeti-ts/protocol";

/** A UUID that differs only in its last digits. */
export const uuidOf = <Uuid extends string>(number: number): Uuid =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}` as Uuid;

/** A plain disk of 1 GiB in `xenvg`. */
export const aPlainDisk = (
  number: number,
  node: NodeUuid,
  { index = 0, size = 1024 }: { index?: number; size?: number } = {},
): RealDisk => ({
  uuid: uuidOf<DiskUuid>(number),
  dev_type: "plain",
  nodes: [node],
  children: [],
  size,
  logical_id: ["xenvg", `lv${number}`],
  iv_name: `disk/${index}`,
  mode: "rw",
  params: {},
});

/** A mirrored disk of 1 GiB. */
export const aMirroredDisk = (
  number: number,
  nodes: readonly [NodeUuid, NodeUuid],
  { index = 0, size = 1024 }: { index?: number; size?: number } = {},
): RealDisk => {
  const child = (offset: number, mib: number) => ({
    ...aPlainDisk(number + offset, nodes[0], { size: mib }),
    nodes,
    iv_name: undefined,
    children: [],
  });
  return RealDisk.parse({
    uuid: uuidOf<DiskUuid>(number),
    dev_type: "drbd",
    nodes,
    size,
    iv_name: `disk/${index}`,
    logical_id: [...nodes, 11000 + number, number, number, `secret${number}`],
    children: [child(1, size), child(2, 128)],
    mode: "rw",
    params: {},
  });
};

/** By default stopped, with 512 MiB and without disks and NICs. */
export const anInstance = (
  number: number,
  given: Partial<RealInstance> & Pick<RealInstance, "primary_node">,
): RealInstance => ({
  uuid: uuidOf<InstanceUuid>(number),
  name: `inst${number}.example.com`,
  os: "noop+default",
  hypervisor: "kvm",
  hvparams: {},
  osparams: {},
  osparams_private: {},
  nics: [],
  disks: [],
  beparams: { maxmem: 512, minmem: 256 },
  admin_state: "down",
  admin_state_source: "admin",
  disks_active: false,
  tags: [],
  ...given,
});

/** Changes that add the instance with its disks. */
export const adding = (
  instance: RealInstance,
  disks: readonly RealDisk[] = [],
): readonly ConfigChange[] => [
  ...disks.map((object) => ({ kind: "put", type: "disk", object }) as const),
  { kind: "put", type: "instance", object: { ...instance, disks: disks.map(({ uuid }) => uuid) } },
];
