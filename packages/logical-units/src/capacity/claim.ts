/**
 * Claims: resources of nodes that a running operation holds until its effect is in the
 * configuration.
 */
import {
  type ConfigChange,
  fileStorage,
  newUuid,
  removalChanges,
  type Snapshot,
} from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type {
  DiskObject,
  DiskUuid,
  ForthcomingDisk,
  ForthcomingInstance,
  InstanceUuid,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import type { UnitContext } from "../unit/context.js";
import type { World } from "../unit/unit.js";
import type { Demand, LimitedDemand } from "./demand.js";
import { asIdle } from "./idle-claim.js";

/** An entry of the configuration that holds the claimed resources. */
export interface Claim {
  readonly instance: ForthcomingInstance;
  readonly disks: readonly ForthcomingDisk[];
}

export const putting = ({ instance, disks }: Claim): readonly ConfigChange[] => [
  ...disks.map((object) => ({ kind: "put", type: "disk", object }) as const),
  { kind: "put", type: "instance", object: instance },
];

/** Drops the claim with the devices that it holds now; no changes if it no longer exists. */
export const dropping = (now: Snapshot, { instance }: Claim): readonly ConfigChange[] =>
  removalChanges(now, [instance.uuid]);

/**
 * A reservation without a name, on one node. Devices about to be made are claimed by their own
 * names: if the job dies, recovery removes those that exist together with the claim. Once they
 * belong to an instance, the claim must be dropped.
 */
export function claimOf(
  context: UnitContext,
  demand: Demand,
  mib: number,
  devices: readonly Device[] = unnamed(context, demand),
): Claim {
  const { node, spindles, limited } = demand;
  const disks = devices.map((device, at): ForthcomingDisk => {
    const disk = heldDevice(context, device, [node]);
    return at === 0 && spindles !== undefined ? { ...disk, spindles } : disk;
  });
  return { instance: holder(context, node, disks, mib, limited), disks };
}

/** The job that holds a claim. */
type Holder = Pick<UnitContext, "jobId" | "now"> & {
  readonly config: Pick<World["config"], "random">;
};

/**
 * A claim on devices that are to be removed from a node: if the job dies or cannot do it, recovery removes them together
 * with the claim. It holds no space, because the node counts the devices as long as they exist.
 */
export function claimOfRemoval(
  context: Holder,
  node: NodeUuid,
  devices: readonly (Device & Pick<RealDisk, "nodes">)[],
): Claim {
  const disks = devices.map((device) => {
    const nodes = device.dev_type === "drbd" ? device.nodes : [node];
    const children = device.children?.map((child) => ({ ...child, size: 0 }));
    return heldDevice(context, { ...device, size: 0, children }, nodes);
  });
  const idle = asIdle(holder(context, node, disks));
  return { instance: { ...idle, osparams: { ...idle.osparams, [removalMark]: "yes" } }, disks };
}

const removalMark = "removal";

/** Whether an entry holds devices that are only there to be removed. */
export const isRemovalClaim = ({ osparams }: ForthcomingInstance): boolean =>
  osparams?.[removalMark] !== undefined;

const runningMark = "runs";

/** An instance that could not be stopped before it was removed or started elsewhere, and may still run on the claim's node. */
export interface LeftRunning extends Pick<RealInstance, "name" | "hypervisor"> {
  /** Whether recovery is stopping it: a call to do so may be under way. */
  readonly isBeingStopped: boolean;
}

/** The instance that may still run on the entry's node. */
export function leftRunning({ osparams }: ForthcomingInstance): LeftRunning | undefined {
  const [hypervisor, name, state] = String(osparams?.[runningMark] ?? "").split(" ");
  if (name === undefined) return undefined;
  const isBeingStopped = state !== undefined;
  return { hypervisor: hypervisor as LeftRunning["hypervisor"], name, isBeingStopped };
}

/** The entry with the instance that may still run on its node, or without one once it has been stopped. */
export function withRunning(
  { osparams, ...held }: ForthcomingInstance,
  left: LeftRunning | undefined,
): ForthcomingInstance {
  const { [runningMark]: _, ...rest } = osparams ?? {};
  if (left === undefined) return { ...held, osparams: rest };
  const words = [left.hypervisor, left.name, ...(left.isBeingStopped ? ["stopping"] : [])];
  return { ...held, osparams: { ...rest, [runningMark]: words.join(" ") } };
}

/** The claim of a removal, by default one without devices, on whose node the instance may still run. */
export const claimOfRunning = (
  context: Holder,
  node: NodeUuid,
  { name, hypervisor }: Pick<RealInstance, "name" | "hypervisor">,
  { instance, disks }: Claim = claimOfRemoval(context, node, []),
): Claim => {
  const left = { name, hypervisor, isBeingStopped: false };
  return { instance: withRunning(instance, left), disks };
};

const exportMark = "export";

/** A claim on the folder of an export under way on that node. */
export const claimOfExport = (context: Holder, node: NodeUuid, instanceName: string): Claim => {
  const idle = asIdle(holder(context, node, []));
  const osparams = { ...idle.osparams, [exportMark]: instanceName };
  return { instance: { ...idle, osparams }, disks: [] };
};

/** Instance whose export under way the entry holds. */
export const exportOf = ({ osparams }: ForthcomingInstance): string | undefined =>
  osparams?.[exportMark] as string | undefined;

const recreationMark = "recreation";

/** A claim on disks of an instance that are made again: if the job dies, recovery removes those that are there. */
export const claimOfRecreation = (
  context: Holder,
  node: NodeUuid,
  disks: readonly Pick<RealDisk, "uuid">[],
): Claim => {
  const idle = asIdle(holder(context, node, []));
  const uuids = disks.map(({ uuid }) => uuid).join(" ");
  return {
    instance: { ...idle, osparams: { ...idle.osparams, [recreationMark]: uuids } },
    disks: [],
  };
};

/** The disks whose recreation the entry holds. */
export const recreatedDisks = ({ osparams }: ForthcomingInstance): readonly DiskUuid[] =>
  ((osparams?.[recreationMark] as string | undefined)?.split(" ") ?? []) as DiskUuid[];

interface Device extends Pick<RealDisk, "dev_type" | "logical_id" | "size"> {
  readonly children?: RealDisk["children"] | undefined;
  readonly params?: RealDisk["params"] | undefined;
}

const heldDevice = (
  context: Holder,
  { dev_type, logical_id, size, children = [], params }: Device,
  nodes: readonly NodeUuid[],
): ForthcomingDisk => ({
  uuid: newUuid<DiskUuid>(context.now, context.config.random),
  forthcoming: true,
  nodes,
  dev_type,
  logical_id,
  size,
  ...(params === undefined ? {} : { params }),
  children: children.map((child) => ({
    ...child,
    uuid: newUuid<DiskUuid>(context.now, context.config.random),
    forthcoming: true,
    nodes,
  })),
});

const withChildren = (device: Device): readonly Device[] => [device, ...(device.children ?? [])];

const unnamedEnd = ".claim";

/** Whether the disk claims space without a named device. */
export const isUnnamed = ({ logical_id: id }: Pick<ForthcomingDisk, "logical_id">): boolean =>
  String(id?.[1]).endsWith(unnamedEnd);

/** One device for each volume group, under a name that no real device has. */
const unnamed = (context: UnitContext, { volumes = new Map() }: Demand): readonly Device[] =>
  [...volumes].map(([group, size]) => {
    const name = `${newUuid(context.now, context.config.random)}${unnamedEnd}`;
    return { ...placeOf(context.now, group, name), size };
  });

/** The devices that already have names. */
export const namedDevices = (disks: readonly DiskObject[]): readonly Device[] =>
  disks.filter(({ logical_id }) => logical_id !== undefined) as readonly Device[];

/**
 * Refuses names still held by the claim of a dead job: until recovery has reached the node, devices
 * of these names may exist and must not be taken for new ones. @throws PrereqError
 * `temp_insufficient_resources`
 */
export function checkUnclaimed(now: Snapshot, node: NodeUuid, devices: readonly Device[]): void {
  const taken = claimedName(now, node, devices);
  if (taken === undefined) return;
  const where = `${taken} on node ${now.node(node)?.name ?? node}`;
  throw new PrereqError(
    "temp_insufficient_resources",
    `Leftovers of a job: ${where} is not removed yet, try again later`,
  );
}

/** The first of the devices' names that is held on the node, as `group/name`. O(held). */
export function claimedName(
  now: Snapshot,
  node: NodeUuid,
  devices: readonly Device[],
): string | undefined {
  const held = now.heldInstances().flatMap((entry) => now.disksOf(entry));
  // A disk reserved without nodes has no device name yet.
  const there = namedDevices(held.filter(({ nodes }) => nodes.includes(node)));
  const names = new Set(there.flatMap(withChildren).map(({ logical_id }) => logical_id.join("/")));
  return devices
    .flatMap(withChildren)
    .map(({ logical_id }) => logical_id.join("/"))
    .find((name) => names.has(name));
}

/**
 * Refuses while a dead job's export of this instance is still on the node: it has the same folder.
 * @throws PrereqError `temp_insufficient_resources`
 */
export function checkNoExport(now: Snapshot, node: NodeUuid, instanceName: string): void {
  for (const held of now.heldInstances()) {
    if (!held.forthcoming || held.primary_node !== node || exportOf(held) !== instanceName)
      continue;
    throw new PrereqError(
      "temp_insufficient_resources",
      `Leftovers of job ${held.held_by} of the export of ${instanceName} on node ${now.node(node)?.name} are not removed yet, try again later`,
    );
  }
}

const placeOf = (
  { cluster }: Snapshot,
  group: string,
  name: string,
): Pick<Device, "dev_type" | "logical_id"> =>
  group === fileStorage
    ? { dev_type: "file", logical_id: ["loop", `${cluster.file_storage_dir}/${name}`] }
    : { dev_type: "plain", logical_id: [group, name] };

/** The entry under the job's number that holds the disks and the memory. */
export const holder = (
  context: Holder,
  node: NodeUuid,
  disks: readonly ForthcomingDisk[],
  memoryMib = 0,
  { vcpus, spindleUse }: Pick<LimitedDemand, "vcpus" | "spindleUse"> = { vcpus: 0, spindleUse: 0 },
): ForthcomingInstance => ({
  uuid: newUuid<InstanceUuid>(context.now, context.config.random),
  forthcoming: true,
  held_by: context.jobId,
  primary_node: node,
  beparams: { maxmem: memoryMib, minmem: memoryMib, vcpus, spindle_use: spindleUse },
  disks: disks.map(({ uuid }) => uuid),
  nics: [],
  tags: [],
});
