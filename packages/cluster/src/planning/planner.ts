/** Planner: computes placements, capacity and balancing moves without changing the cluster. */

import {
  type Allocation,
  type Allocators,
  type Asking,
  type Balance,
  type Capacity,
  inTurns,
  type Turn,
  wantedEntry,
} from "@ganeti-ts/allocators";
import { ConfigError, type Configuration, type Snapshot } from "@ganeti-ts/config";
import { explainInParts } from "@ganeti-ts/htools";
import { PrereqError } from "@ganeti-ts/job-queue";
import { type Planned, wantedInstance } from "@ganeti-ts/logical-units";
import type { CancelSignal, Explanation, Timers } from "@ganeti-ts/protocol";
import { nobody } from "../nodes/asking-nodes.js";
import { type BalancePlan, type BalanceWish, balancePlan } from "./balance-plan.js";
import { type EvacuationPlan, type EvacuationWish, evacuationPlan } from "./evacuation-plan.js";
import type { Placement, PlacementFigures } from "./placement.js";
import { SharedAnswers } from "./shared-answers.js";

export type { Planned } from "@ganeti-ts/logical-units";

/**
 * All methods throw OperationError if there is no answer, e.g. no place, no allocator or an unknown group. Methods with long
 * computations accept a signal that ends the wait; equal requests at the same time share one computation.
 */
export interface Planner {
  /** Nodes on which the planned instance would be placed. */
  place(planned: Planned): Promise<Allocation>;
  /** All candidate nodes, and the reason for the choice. */
  explain(planned: Planned, signal?: CancelSignal): Promise<Explanation>;
  /** Number of instances that fit, and the nodes of each. The answer may be 30 s old if the configuration has not changed. */
  capacity(planned: Planned, signal?: CancelSignal): Promise<Capacity>;
  /** Moves that balance a group; a negative maximum means no limit. */
  balance(group: string | null, movesMax: number): Promise<Balance>;
  /** The steps that balance a group, with the options of hbal. */
  balancePlan(wish: BalanceWish, signal?: CancelSignal): Promise<BalancePlan>;
  /** The moves that empty nodes for maintenance. */
  evacuationPlan(wish: EvacuationWish, signal?: CancelSignal): Promise<EvacuationPlan>;
  /** Current balance and N+1 state of each group, cached for a short time. */
  figures(): Promise<PlacementFigures>;
}

/** Maximum age (ms) of a cached capacity. */
const capacityAgeMs = 30_000;

interface PlannerPorts {
  readonly config: Pick<Configuration, "snapshot">;
  readonly allocators: Allocators;
  readonly placement: Pick<Placement, "figures">;
  readonly clock: Timers;
  /** Lets other work of the process run during a computation. Default: other work runs after each part of a plan. */
  readonly turn?: Turn | undefined;
}

export function createPlanner({
  config,
  allocators,
  placement,
  clock,
  ...ports
}: PlannerPorts): Planner {
  const { turn = () => new Promise<void>((resolve) => void clock.after(0, resolve)) } = ports;
  const asking = (iallocator?: string, signal = nobody.signal): Asking => ({
    now: config.snapshot,
    caller: { ...nobody, signal },
    iallocator,
  });
  const wantedOf = (planned: Planned) => resolvedOf(config.snapshot, planned);
  const shared = (ageMaxMs?: number) => new SharedAnswers(() => config.snapshot, clock, ageMaxMs);
  const [counts, explanations, balances, evacuations] = [
    ...[shared(capacityAgeMs), shared(), shared(), shared()],
  ] as const;
  const explain = async (planned: Planned, signal: CancelSignal): Promise<Explanation> => {
    const { cluster, request } = await allocators.asked(asking(undefined, signal), {
      type: "allocate",
      ...wantedEntry(wantedOf(planned)),
      group_name: planned.group_name ?? null,
    });
    const options = { ignoreSoftErrors: false, capacityChecks: true };
    // Copied, because the cached cluster may change during the computation.
    return inTurns(explainInParts(cluster.copy(), request, options), turn, signal);
  };
  const capacity = async (planned: Planned, signal: CancelSignal): Promise<Capacity> =>
    allocators.capacity(asking(planned.iallocator, signal), wantedOf(planned), {
      group: planned.group_name,
      countMax: planned.max_count,
    });
  const data = (signal: CancelSignal) => allocators.cluster(asking(undefined, signal));
  return {
    place: async (planned) =>
      allocators.allocate(asking(planned.iallocator), wantedOf(planned), {
        group: planned.group_name,
      }),
    explain: (planned, signal) =>
      explanations.ask(planned, (computing) => explain(planned, computing), signal),
    capacity: (planned, signal) =>
      counts.ask(planned, (computing) => capacity(planned, computing), signal),
    balance: (group, movesMax) =>
      balances.ask([group, movesMax], () => allocators.balance(asking(), group, movesMax)),
    balancePlan: (wish, signal) =>
      balances.ask(
        wish,
        async (computing) => {
          const excluded = fullNames(config.snapshot, "instance", wish.excluded ?? []);
          return balancePlan(await data(computing), { ...wish, excluded }, turn, computing);
        },
        signal,
      ),
    evacuationPlan: (wish, signal) =>
      evacuations.ask(
        wish,
        async (computing) => {
          const nodes = fullNames(config.snapshot, "node", wish.nodes);
          return inTurns(
            evacuationPlan(await data(computing), { ...wish, nodes }),
            turn,
            computing,
          );
        },
        signal,
      ),
    figures: () => placement.figures(),
  };
}

/** Resolves the names as a creation does. @throws PrereqError */
function resolvedOf(now: Snapshot, planned: Planned) {
  try {
    return wantedInstance(now, "planned", planned);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new PrereqError("unknown_entity", error.message, { cause: error });
  }
}

/** Full names of the objects; unknown names are returned unchanged. */
const fullNames = (now: Snapshot, kind: "node" | "instance", names: readonly string[]) =>
  names.map((name) => now.find(kind, name)?.name ?? name);
