/** What a running operation holds of nodes until its effect is there. */
import {
  type ConfigChange,
  fileStorage,
  newUuid,
  removalChanges,
  type Snapshot,
} from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type {
  DiskUuid,
  ForthcomingDisk,
  ForthcomingInstance,
  InstanceUuid,
  NodeUuid,
  RealDisk,
} from "@ganeti-ts/protocol";
import type { World } from "../unit/unit.js";
import { claimGivenUp, type Demand, type LimitedDemand, take } from "./demand.js";

/**
 * Runs `work` while the demands are reserved, durably and for all servers, under the job's number: when
 * the job dies they are given up with it. `work` is told how much memory each demand got.
 * @throws PrereqError `insufficient_resources`, and what `work` throws
 */
export const withClaim = <T>(
  world: World,
  demands: readonly Demand[],
  work: (memoryMib: readonly number[]) => Promise<T>,
): Promise<T> =>
  withClaims(
    world,
    demands,
    (now, memoryMib) =>
      demands.map((demand, at) => claimOf(world, now, demand, memoryMib[at] ?? 0)),
    (claims) => work(claims.map(({ instance }) => instance.beparams?.maxmem ?? 0)),
  );

/** An entry of the configuration that holds what is claimed. */
export interface Claim {
  readonly instance: ForthcomingInstance;
  readonly disks: readonly ForthcomingDisk[];
}

/** As `withClaim`, with claims that `work` may put real objects in the place of. */
export async function withClaims<T>(
  world: World,
  demands: readonly Demand[],
  claimsOf: (now: Snapshot, memoryMib: readonly number[]) => readonly Claim[],
  work: (claims: readonly Claim[]) => Promise<T>,
): Promise<T> {
  const claims = await take(world, {
    demands,
    decide: (now, memoryMib) => {
      const value = claimsOf(now, memoryMib);
      return { changes: value.flatMap(putting), value };
    },
  });
  try {
    return await work(claims);
  } finally {
    await giveUpClaims(world, claims);
  }
}

/** Their effects are there, or will not be. */
export async function giveUpClaims(world: World, claims: readonly Claim[]): Promise<void> {
  await world.config.change((now) => {
    return { changes: claims.flatMap((claim) => dropping(now, claim)), value: undefined };
  }, world);
  claimGivenUp(world.config);
}

export const putting = ({ instance, disks }: Claim): readonly ConfigChange[] => [
  ...disks.map((object) => ({ kind: "put", type: "disk", object }) as const),
  { kind: "put", type: "instance", object: instance },
];

/** With the devices that it holds now; nothing if it is gone. */
export const dropping = (now: Snapshot, { instance }: Claim): readonly ConfigChange[] =>
  removalChanges(now, [instance.uuid]);

/**
 * A reservation with no name, on one node. Devices that are to be made are claimed by their own names: when the job dies,
 * those that are there are removed with the claim. Once they are an instance's, the claim must be gone.
 */
export function claimOf(
  world: World,
  now: Snapshot,
  demand: Demand,
  mib: number,
  devices: readonly Device[] = unnamed(world, now, demand),
): Claim {
  const { node, spindles, limited } = demand;
  const disks = devices.map((device, at): ForthcomingDisk => {
    const disk = heldDevice(world, now, device, [node]);
    return at === 0 && spindles !== undefined ? { ...disk, spindles } : disk;
  });
  return { instance: holder(world, now, node, disks, mib, limited), disks };
}

/** What is nobody's any more and has to go from its nodes: when the job dies, that is done with the claim. */
export function claimOfRemoval(
  world: World,
  now: Snapshot,
  node: NodeUuid,
  devices: readonly (Device & Pick<RealDisk, "nodes">)[],
): Claim {
  const disks = devices.map((device) => {
    const nodes = device.dev_type === "drbd" ? device.nodes : [node];
    // Nodes count it as long as it is there.
    return heldDevice(world, now, { ...device, size: 0 }, nodes);
  });
  return { instance: holder(world, now, node, disks), disks };
}

interface Device extends Pick<RealDisk, "dev_type" | "logical_id" | "size"> {
  readonly children?: RealDisk["children"] | undefined;
}

const heldDevice = (
  world: World,
  now: Snapshot,
  { dev_type, logical_id, size, children = [] }: Device,
  nodes: readonly NodeUuid[],
): ForthcomingDisk => ({
  ...{ uuid: newUuid<DiskUuid>(now, world.config.random), forthcoming: true, nodes },
  ...{ dev_type, logical_id, size },
  children: children.map((child) => ({
    ...{ ...child, uuid: newUuid<DiskUuid>(now, world.config.random), forthcoming: true, nodes },
  })),
});

const withChildren = (device: Device): readonly Device[] => [device, ...(device.children ?? [])];

/** One for each volume group, called like nothing that is made. */
const unnamed = (world: World, now: Snapshot, { volumes = new Map() }: Demand): readonly Device[] =>
  [...volumes].map(([group, size]) => {
    const name = `${newUuid(now, world.config.random)}.claim`;
    return { ...placeOf(now, group, name), size };
  });

/**
 * Refuses what the claim of a job that died still holds by name: until recovery has got through to the node, devices
 * of these names may be there, and are not to be taken for new ones. @throws PrereqError `temp_insufficient_resources`
 */
export function checkUnclaimed(now: Snapshot, node: NodeUuid, devices: readonly Device[]): void {
  const held = now.heldInstances().flatMap((entry) => now.disksOf(entry));
  // What is reserved without its nodes has no name yet.
  const there = held.filter(
    ({ nodes, logical_id }) => logical_id !== undefined && nodes?.includes(node),
  ) as readonly Device[];
  const names = new Set(there.flatMap(withChildren).map(({ logical_id }) => logical_id.join("/")));
  const taken = devices
    .flatMap(withChildren)
    .map(({ logical_id }) => logical_id.join("/"))
    .find((name) => names.has(name));
  if (taken === undefined) return;
  const where = `${taken} on node ${now.node(node)?.name ?? node}`;
  throw new PrereqError(
    "temp_insufficient_resources",
    `What a job has left of ${where} is not removed yet, try again later`,
  );
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
  world: World,
  now: Snapshot,
  node: NodeUuid,
  disks: readonly ForthcomingDisk[],
  memoryMib = 0,
  { vcpus, spindleUse }: Pick<LimitedDemand, "vcpus" | "spindleUse"> = { vcpus: 0, spindleUse: 0 },
): ForthcomingInstance => ({
  uuid: newUuid<InstanceUuid>(now, world.config.random),
  ...{ forthcoming: true, held_by: world.jobId, primary_node: node },
  beparams: { maxmem: memoryMib, minmem: memoryMib, vcpus, spindle_use: spindleUse },
  disks: disks.map(({ uuid }) => uuid),
  ...{ nics: [], tags: [] },
});
