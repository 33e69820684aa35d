/** What a running operation holds of nodes until its effect is there. */
import { type ConfigChange, newUuid, type Snapshot } from "@ganeti-ts/config";
import type {
  DiskUuid,
  ForthcomingDisk,
  ForthcomingInstance,
  InstanceUuid,
} from "@ganeti-ts/protocol";
import type { World } from "../unit.js";
import { claimGivenUp, type Demand, take } from "./demand.js";

/**
 * Runs `work` while the demands are reserved, durably and for all servers, under the job's number: when
 * the job dies they are given up with it. @throws PrereqError `insufficient_resources`, and what `work` throws
 */
export async function withClaim<T>(
  world: World,
  demands: readonly Demand[],
  work: () => Promise<T>,
): Promise<T> {
  const claimed = await take(world, {
    demands,
    decide: (now) => {
      const claims = demands.map((demand) => claimOf(world, now, demand));
      return { changes: claims.flatMap(({ changes }) => changes), value: claims };
    },
  });
  try {
    return await work();
  } finally {
    await giveUp(world, claimed);
  }
}

interface Claim {
  readonly instance: ForthcomingInstance;
  readonly disks: readonly ForthcomingDisk[];
  readonly changes: readonly ConfigChange[];
}

/** A reservation with no name, on one node. */
function claimOf(world: World, now: Snapshot, { node, memory, volumes }: Demand): Claim {
  const mib = memory?.mib ?? 0;
  const disks = [...(volumes ?? [])].map(([group, size]): ForthcomingDisk => {
    const uuid = newUuid(now, world.config.random) as string as DiskUuid;
    return {
      ...{ uuid, forthcoming: true, dev_type: "plain", logical_id: [group, `${uuid}.claim`] },
      ...{ size, nodes: [node], children: [] },
    };
  });
  const instance: ForthcomingInstance = {
    uuid: newUuid(now, world.config.random) as string as InstanceUuid,
    ...{ forthcoming: true, held_by: world.jobId, primary_node: node },
    beparams: { maxmem: mib, minmem: mib, vcpus: 0, spindle_use: 0 },
    disks: disks.map(({ uuid }) => uuid),
    ...{ nics: [], tags: [] },
  };
  const changes: ConfigChange[] = [
    ...disks.map((object) => ({ kind: "put", type: "disk", object }) as const),
    { kind: "put", type: "instance", object: instance },
  ];
  return { instance, disks, changes };
}

async function giveUp(world: World, claims: readonly Claim[]): Promise<void> {
  await world.config.change((now) => {
    const changes = claims.flatMap(({ instance, disks }): ConfigChange[] => {
      if (now.instance(instance.uuid) === undefined) return [];
      return [
        { kind: "remove", type: "instance", uuid: instance.uuid },
        ...disks.map(({ uuid }) => ({ kind: "remove", type: "disk", uuid }) as const),
      ];
    });
    return { changes, value: undefined };
  }, world);
  claimGivenUp(world.config);
}
