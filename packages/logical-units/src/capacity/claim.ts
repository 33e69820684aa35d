/** What a running operation holds of nodes until its effect is there. */
import { type ConfigChange, fileStorage, newUuid, type Snapshot } from "@ganeti-ts/config";
import type {
  DiskUuid,
  ForthcomingDisk,
  ForthcomingInstance,
  InstanceUuid,
  NodeUuid,
} from "@ganeti-ts/protocol";
import type { World } from "../unit.js";
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

/** Nothing if it is gone. */
export function dropping(now: Snapshot, { instance, disks }: Claim): readonly ConfigChange[] {
  if (now.instance(instance.uuid) === undefined) return [];
  return [
    { kind: "remove", type: "instance", uuid: instance.uuid },
    ...disks.map(({ uuid }) => ({ kind: "remove", type: "disk", uuid }) as const),
  ];
}

/** A reservation with no name, on one node. */
function claimOf(world: World, now: Snapshot, demand: Demand, mib: number): Claim {
  const { node, volumes = [], spindles, limited } = demand;
  const disks = [...volumes].map(([group, size], at): ForthcomingDisk => {
    const uuid = newUuid<DiskUuid>(now, world.config.random);
    return {
      ...{ uuid, forthcoming: true, ...placeOf(now, group, `${uuid}.claim`) },
      ...{ size, nodes: [node], children: [] },
      ...(at === 0 && spindles !== undefined ? { spindles } : {}),
    };
  });
  return { instance: holder(world, now, node, disks, mib, limited), disks };
}

const placeOf = (
  { cluster }: Snapshot,
  group: string,
  name: string,
): Pick<ForthcomingDisk, "dev_type" | "logical_id"> =>
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
