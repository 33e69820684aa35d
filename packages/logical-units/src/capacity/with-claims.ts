/** Operations that run while they hold claims. */
import { filledBeparams, type Snapshot } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { Claim, Json, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { clearClaim } from "../clearing/clear-claim.js";
import { applied, contextAt, type World } from "../unit/unit.js";
import { claimOf, dropping, putting } from "./claim.js";
import { claimGivenUp, type Demand, take } from "./demand.js";

/**
 * Runs `work` while the demands are reserved, durably and for all servers, under the job's number:
 * when the job dies, the reservations are dropped with it. `work` gets the memory granted to each
 * demand. @throws PrereqError `insufficient_resources`, and any error of `work`
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
      demands.map((demand, at) => claimOf(contextAt(world, now), demand, memoryMib[at] ?? 0)),
    (claims) => work(claims.map(({ memoryMib }) => memoryMib)),
  );

/** Like `withClaim`, with claims that `work` may replace by real objects. */
export async function withClaims<T, C extends Claim>(
  world: World,
  demands: readonly Demand[],
  claimsOf: (now: Snapshot, memoryMib: readonly number[]) => readonly C[],
  work: (claims: readonly C[]) => Promise<T>,
): Promise<T> {
  const claims = await takeClaims(world, demands, claimsOf);
  const value = await abandoningOnFailure(world, claims, () => work(claims));
  await giveUpClaims(world, claims);
  return value;
}

/** Reserves the demands as these claims, which stay until they are dropped. @throws PrereqError */
export const takeClaims = <C extends Claim>(
  world: World,
  demands: readonly Demand[],
  claimsOf: (now: Snapshot, memoryMib: readonly number[]) => readonly C[],
): Promise<readonly C[]> =>
  take(world, {
    demands,
    decide: (now, memoryMib) => {
      const value = claimsOf(now, memoryMib);
      return { changes: value.map(putting), value };
    },
  });

/** Runs `work`; if it fails, the claims are dropped as far as their devices can be removed. */
export async function abandoningOnFailure<T>(
  world: World,
  claims: readonly Claim[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await abandonClaims(world, claims);
    throw error;
  }
}

/**
 * Removes the claimed devices from their nodes and drops the claims. Devices that cannot be removed
 * now, for instance because the job was killed, stay claimed: recovery removes them once the job has
 * ended.
 */
export async function abandonClaims(world: World, claims: readonly Claim[]): Promise<void> {
  for (const { uuid } of claims) {
    const claim = world.config.snapshot.claim(uuid);
    if (claim !== undefined) await clearClaim(world, claim);
  }
  claimGivenUp(world.config);
}

/** @throws ExecError if recovery has dropped the claim because the job is over */
export function checkStillClaimed(now: Snapshot, { uuid }: Claim): void {
  if (now.claim(uuid) !== undefined) return;
  throw new ExecError("The job is over: what it held has been given up");
}

/** Drops claims whose effects are in place, or will not happen. */
export async function giveUpClaims(world: World, claims: readonly Claim[]): Promise<void> {
  await applied(world, (now) => dropping(now, claims));
  claimGivenUp(world.config);
}

/**
 * A start or restart of an instance, and what it takes of the node. Between the minimum and the maximum the node gives an
 * instance what it has free, and knows nothing of reservations; a lower maximum in the call keeps it from theirs.
 */
export interface Starting {
  readonly demand: Demand;
  /** Memory of the running instance that is to be restarted. */
  readonly runningMib: number;
  readonly maxMib: number;
}

interface StartOptions {
  /** Default: its primary. */
  readonly node?: NodeUuid;
  /** Override those of the instance. */
  readonly beparams?: Readonly<Record<string, Json>>;
  readonly runningMib?: number;
  /** Completes error texts: `starting instance web1`. */
  readonly verb?: string;
}

export function startingOf(
  now: Snapshot,
  instance: RealInstance,
  options: StartOptions = {},
): Starting {
  const { node = instance.primary_node, beparams = {}, runningMib = 0 } = options;
  const filled = { ...filledBeparams(now, instance), ...beparams };
  const [minMib, maxMib] = [Number(filled.minmem), Number(filled.maxmem)];
  const { name, hypervisor, admin_state, primary_node } = instance;
  const purpose = `${options.verb ?? "starting"} instance ${name}`;
  // The vcpus of an instance recorded as up are counted already.
  const isCounted = admin_state === "up" && node === primary_node;
  const [mib, upToMib] = [minMib, maxMib].map((size) => Math.max(0, size - runningMib));
  const memory = { mib: mib ?? 0, upToMib, isLeftToNode: true, hypervisor, purpose };
  const limited = { vcpus: isCounted ? 0 : Number(filled.vcpus), spindleUse: 0, purpose };
  const isMore = memory.mib > 0 || (upToMib ?? 0) > 0;
  return { demand: { node, limited, ...(isMore ? { memory } : {}) }, runningMib, maxMib };
}

/**
 * Runs `work` while the memory is claimed, including that of the running instance, which the node counts as free between its
 * stop and its start. `work` gets parameters for the start: a lower maximum if the rest is promised to others, else none.
 * @throws PrereqError `insufficient_resources`, and any error of `work`
 */
export function whileStarting<T>(
  world: World,
  starting: Starting | undefined,
  work: (beparams: Readonly<Record<string, Json>>) => Promise<T>,
): Promise<T> {
  if (starting === undefined) return work({});
  const { demand, runningMib, maxMib } = starting;
  return withClaims(
    world,
    [demand],
    (now, [grantedMib = 0]) => [claimOf(contextAt(world, now), demand, runningMib + grantedMib)],
    ([claim]) => {
      const mostMib = claim?.memoryMib ?? maxMib;
      return work(mostMib < maxMib ? { maxmem: mostMib } : {});
    },
  );
}
