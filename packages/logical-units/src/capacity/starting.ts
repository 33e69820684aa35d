/**
 * Memory of instances that their node starts. Between the minimum and the maximum the node gives an instance what it has free,
 * and knows nothing of reservations; a lower maximum in the call keeps it from theirs.
 */
import { filledBeparams, type Snapshot } from "@ganeti-ts/config";
import type { Json, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { contextAt, type World } from "../unit/unit.js";
import { claimOf } from "./claim.js";
import type { Demand } from "./demand.js";
import { withClaims } from "./with-claims.js";

/** A start or restart of an instance, and what it takes of the node. */
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
