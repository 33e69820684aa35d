/**
 * Claims: resources of nodes that a running operation holds until its effect is in the
 * configuration.
 */
import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import { devicesOfClaim, droppedClaims, newUuid, put } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type {
  Claim,
  ClaimedDisk,
  ClaimedSpace,
  ClaimOf,
  ClaimUuid,
  DiskObject,
  DiskUuid,
  ForthcomingDisk,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import type { UnitContext, World } from "../unit/unit.js";
import type { Demand } from "./demand.js";

export const putting = (object: Claim): ConfigChange => put("claim", object);

/** Drops the claims with the devices that they hold now; those that no longer exist are skipped. */
export const dropping = (now: Snapshot, claims: readonly Claim[]): readonly ConfigChange[] =>
  droppedClaims(
    now,
    claims.map(({ uuid }) => uuid),
  );

/** The job that holds a claim. */
export type Holder = Pick<UnitContext, "jobId" | "now"> & {
  readonly config: Pick<World["config"], "random">;
};

const newClaim = ({ now, config, jobId: job }: Holder) => ({
  uuid: newUuid<ClaimUuid>(now, config.random),
  job,
});

/**
 * A claim on capacity of a node. Devices about to be made there are claimed by their own names: if the job dies, recovery
 * removes those that exist together with the claim. Once they belong to an instance, the claim must be dropped.
 */
export function claimOf(
  context: UnitContext,
  demand: Demand,
  memoryMib: number,
  devices?: readonly Device[],
): ClaimOf<"space"> {
  const { node, spindles = 0, limited, volumes = new Map() } = demand;
  const { vcpus, spindleUse } = limited ?? { vcpus: 0, spindleUse: 0 };
  const disks = devices?.map((device) => claimedDevice(context, device, [node])) ?? [];
  const diskMib = devices === undefined ? Object.fromEntries(volumes) : {};
  const space = { node, memoryMib, vcpus, spindleUse, diskMib, diskSpindles: spindles };
  return spaceClaim(context, space, disks, true);
}

/** @param isBegun whether the use of the capacity may have begun, so that nodes may count it already */
export const spaceClaim = (
  context: Holder,
  space: ClaimedSpace,
  disks: readonly ForthcomingDisk[],
  isBegun: boolean,
): ClaimOf<"space"> => ({ kind: "space", ...newClaim(context), ...space, disks, isBegun });

/** The node without any of its capacity. */
export const emptySpace = (node: NodeUuid): ClaimedSpace => ({
  ...{ node, memoryMib: 0, vcpus: 0, spindleUse: 0, diskMib: {}, diskSpindles: 0 },
});

/** A claim of the job that makes the reservation real. */
export const commitClaim = (
  context: Holder,
  { reservation, names, spaces }: Pick<ClaimOf<"commit">, "reservation" | "names" | "spaces">,
): ClaimOf<"commit"> => ({
  ...{ kind: "commit", ...newClaim(context), reservation, names, spaces },
  isBegun: true,
});

/**
 * A claim on devices that are to be removed from a node: if the job dies or cannot do it, recovery removes them together
 * with the claim. It holds no space, because the node counts the devices as long as they exist.
 */
export function claimOfRemoval(
  context: Holder,
  node: NodeUuid,
  devices: readonly (Device & Pick<RealDisk, "nodes">)[],
): ClaimOf<"removal"> {
  const disks = devices.map((device): ClaimedDisk => {
    const { copyOf, fileOf } = device;
    const nodes = device.dev_type === "drbd" ? device.nodes : [node];
    const children = device.children?.map((child) => ({ ...child, size: 0 }));
    return {
      ...claimedDevice(context, { ...device, size: 0, children }, nodes),
      ...(copyOf !== undefined && { copyOf }),
      ...(fileOf !== undefined && { fileOf }),
    };
  });
  return { kind: "removal", ...newClaim(context), node, disks };
}

/** The claim of a removal, by default one without devices, on whose node the instance may still run. */
export const claimOfRunning = (
  context: Holder,
  node: NodeUuid,
  { name, hypervisor }: Pick<RealInstance, "name" | "hypervisor">,
  claim: ClaimOf<"removal"> = claimOfRemoval(context, node, []),
): ClaimOf<"removal"> => ({ ...claim, running: { name, hypervisor, isBeingStopped: false } });

/** A claim on the folder of an export under way on that node. */
export const claimOfExport = (
  context: Holder,
  node: NodeUuid,
  instanceName: string,
): ClaimOf<"export"> => ({ kind: "export", ...newClaim(context), node, instanceName });

/** A claim on disks of an instance that are made again: if the job dies, recovery removes those that are there. */
export const claimOfRecreation = (
  context: Holder,
  node: NodeUuid,
  disks: readonly Pick<RealDisk, "uuid">[],
): ClaimOf<"recreation"> => ({
  ...{ kind: "recreation", ...newClaim(context), node },
  disks: disks.map(({ uuid }) => uuid),
});

interface Device
  extends Pick<RealDisk, "dev_type" | "logical_id" | "size">,
    Pick<ClaimedDisk, "copyOf" | "fileOf"> {
  readonly children?: RealDisk["children"] | undefined;
  readonly params?: RealDisk["params"] | undefined;
}

const claimedDevice = (
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

/** The devices that already have names. */
export const namedDevices = (disks: readonly DiskObject[]): readonly Device[] =>
  disks.filter(({ logical_id }) => logical_id !== undefined) as readonly Device[];

/** All devices that jobs claim. O(claims). */
export const claimedDevices = (now: Snapshot): readonly ClaimedDisk[] =>
  [...now.claims()].flatMap(devicesOfClaim);

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

/** The first of the devices' names that is held on the node, as `group/name`. O(claims). */
export function claimedName(
  now: Snapshot,
  node: NodeUuid,
  devices: readonly Device[],
): string | undefined {
  // A disk reserved without nodes has no device name yet.
  const there = namedDevices(claimedDevices(now).filter(({ nodes }) => nodes.includes(node)));
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
  for (const claim of now.claimsOfNode(node)) {
    if (claim.kind !== "export" || claim.instanceName !== instanceName) continue;
    throw new PrereqError(
      "temp_insufficient_resources",
      `Leftovers of job ${claim.job} of the export of ${instanceName} on node ${now.node(node)?.name} are not removed yet, try again later`,
    );
  }
}
