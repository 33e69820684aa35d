/** Planner: possible placements, capacity and balancing moves, without changes of the cluster. */

import {
  type Allocation,
  type Allocators,
  type Asking,
  type Balance,
  type Capacity,
  inTurns,
  type Turn,
  type WantedInstance,
  wantedEntry,
} from "@ganeti-ts/allocators";
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import { explainInParts } from "@ganeti-ts/htools";
import {
  type CancelSignal,
  type Explanation,
  type JsonObject,
  type OpcodeOf,
  parseSize,
  type Timers,
} from "@ganeti-ts/protocol";
import { nobody } from "../nodes/asking-nodes.js";
import { type BalancePlan, type BalanceWish, balancePlan } from "./balance-plan.js";
import { type EvacuationPlan, type EvacuationWish, evacuationPlan } from "./evacuation-plan.js";
import type { Placement, PlacementFigures } from "./placement.js";
import { SharedAnswers } from "./shared-answers.js";

/**
 * A hypothetical instance, by parameters of that opcode; absent ones have the cluster's defaults.
 */
export type Planned = Partial<Omit<OpcodeOf<"OP_CLUSTER_CAPACITY">, "OP_ID">>;

/**
 * All methods throw OperationError if there is no answer: no place, no allocator, an unknown group. Those that compute for
 * long take a signal, whose abortion ends the wait; all who ask the same at the same time share one computation.
 */
export interface Planner {
  /** The nodes where it would go. */
  place(planned: Planned): Promise<Allocation>;
  /** Every candidate, and the reason for the choice. */
  explain(planned: Planned, signal?: CancelSignal): Promise<Explanation>;
  /** Number of instances that fit, and the nodes of each; for an unchanged configuration up to half a minute old. */
  capacity(planned: Planned, signal?: CancelSignal): Promise<Capacity>;
  /** Moves that balance a group; a negative maximum means no limit. */
  balance(group: string | null, movesMax: number): Promise<Balance>;
  /** The steps that balance a group, with the options of hbal. */
  balancePlan(wish: BalanceWish, signal?: CancelSignal): Promise<BalancePlan>;
  /** The moves that empty nodes for maintenance. */
  evacuationPlan(wish: EvacuationWish, signal?: CancelSignal): Promise<EvacuationPlan>;
  /** Balance and N+1 of each group, as they are now; kept for a while. */
  figures(): Promise<PlacementFigures>;
}

/** Maximum age (ms) of a count of capacity. */
const capacityAgeMs = 30_000;

interface PlannerPorts {
  readonly config: Pick<Configuration, "snapshot">;
  readonly allocators: Allocators;
  readonly placement: Pick<Placement, "figures">;
  readonly clock: Timers;
  /** Default: other work has its turn after each part of a plan. */
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
  const shared = (ageMaxMs?: number) => new SharedAnswers(() => config.snapshot, clock, ageMaxMs);
  const [counts, explanations, balances, evacuations] = [
    ...[shared(capacityAgeMs), shared(), shared(), shared()],
  ] as const;
  const explain = async (planned: Planned, signal: CancelSignal): Promise<Explanation> => {
    const { cluster, request } = await allocators.asked(asking(undefined, signal), {
      type: "allocate",
      ...wantedEntry(wantedOf(config.snapshot, planned)),
      group_name: planned.group_name ?? null,
    });
    const options = { ignoreSoftErrors: false, capacityChecks: true };
    // The cluster is kept, and follows changes meanwhile.
    return inTurns(explainInParts(cluster.copy(), request, options), turn, signal);
  };
  const capacity = (planned: Planned, signal: CancelSignal): Promise<Capacity> =>
    allocators.capacity(asking(planned.iallocator, signal), wantedOf(config.snapshot, planned), {
      group: planned.group_name,
      countMax: planned.max_count,
    });
  const data = (signal: CancelSignal) => allocators.cluster(asking(undefined, signal));
  return {
    place: (planned) =>
      allocators.allocate(asking(planned.iallocator), wantedOf(config.snapshot, planned), {
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
        async (computing) => balancePlan(await data(computing), wish, turn, computing),
        signal,
      ),
    evacuationPlan: (wish, signal) =>
      evacuations.ask(
        wish,
        async (computing) => inTurns(evacuationPlan(await data(computing), wish), turn, computing),
        signal,
      ),
    figures: () => placement.figures(),
  };
}

/** Completed with the cluster's defaults. */
function wantedOf({ cluster }: Snapshot, planned: Planned): WantedInstance {
  const { disks = [], nics = [], tags = [] } = planned;
  const given = { ...planned.beparams };
  const { maxmem, vcpus, spindle_use } = {
    ...cluster.beparams.default,
    ...given,
    ...("memory" in given ? { maxmem: given.memory } : {}),
  } as JsonObject;
  return {
    name: "planned",
    memoryMib: numberOf(maxmem),
    vcpus: numberOf(vcpus),
    spindleUse: numberOf(spindle_use),
    diskTemplate: planned.disk_template ?? cluster.enabled_disk_templates[0] ?? "diskless",
    disks: disks.map(({ size = 0, spindles }) => ({ sizeMib: size, spindles })),
    nics: nics.map(({ mac, ip, network }) => ({
      mac: mac ?? null,
      ip: ip ?? null,
      network: network ?? null,
    })),
    os: planned.os_type ?? "",
    hypervisor: planned.hypervisor ?? cluster.enabled_hypervisors[0] ?? "fake",
    tags,
  };
}

const numberOf = (value: unknown): number =>
  typeof value === "string" ? (parseSize(value) ?? 0) : Number(value);
