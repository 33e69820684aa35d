/** Planner: possible placements, capacity and balancing moves, without changes of the cluster. */

import {
  type Allocation,
  type Allocators,
  type Asking,
  type Balance,
  type Capacity,
  type WantedInstance,
  wantedEntry,
} from "@ganeti-ts/allocators";
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import { explainRequest, loadCluster } from "@ganeti-ts/htools";
import {
  type CancelSignal,
  decodeMessage,
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

/**
 * A hypothetical instance, by parameters of that opcode; absent ones have the cluster's defaults.
 */
export type Planned = Partial<Omit<OpcodeOf<"OP_CLUSTER_CAPACITY">, "OP_ID">>;

/**
 * All methods throw OperationError if there is no answer: no place, no allocator, an unknown group.
 */
export interface Planner {
  /** The nodes where it would go. */
  place(planned: Planned): Promise<Allocation>;
  /** Every candidate, and the reason for the choice. */
  explain(planned: Planned): Promise<Explanation>;
  /** Number of instances that fit, and the nodes of each. */
  capacity(planned: Planned): Promise<Capacity>;
  /** Moves that balance a group; a negative maximum means no limit. */
  balance(group: string | null, movesMax: number): Promise<Balance>;
  /** The steps that balance a group, with the options of hbal. Other work goes on between two steps. */
  balancePlan(wish: BalanceWish, signal?: CancelSignal): Promise<BalancePlan>;
  /** The moves that empty nodes for maintenance. */
  evacuationPlan(wish: EvacuationWish): Promise<EvacuationPlan>;
  /** Balance and N+1 of each group, as they are now; kept for a while. */
  figures(): Promise<PlacementFigures>;
}

export function createPlanner(
  config: Pick<Configuration, "snapshot">,
  allocators: Allocators,
  placement: Pick<Placement, "figures">,
  clock: Timers,
): Planner {
  const asking = (iallocator?: string): Asking => ({
    now: config.snapshot,
    caller: nobody,
    iallocator,
  });
  const othersTurn = () => new Promise<void>((resolve) => void clock.after(0, resolve));
  return {
    place: (planned) =>
      allocators.allocate(asking(planned.iallocator), wantedOf(config.snapshot, planned), {
        group: planned.group_name,
      }),
    async explain(planned) {
      const text = await allocators.message(asking(), {
        type: "allocate",
        ...wantedEntry(wantedOf(config.snapshot, planned)),
        group_name: planned.group_name ?? null,
      });
      const message = decodeMessage(text);
      const settings = { ignoreSoftErrors: false, capacityChecks: true };
      return explainRequest(loadCluster(message.cluster), message.request, settings);
    },
    capacity: (planned) =>
      allocators.capacity(asking(planned.iallocator), wantedOf(config.snapshot, planned), {
        group: planned.group_name,
        countMax: planned.max_count,
      }),
    balance: (group, movesMax) => allocators.balance(asking(), group, movesMax),
    balancePlan: async (wish, signal) =>
      balancePlan(await allocators.cluster(asking()), wish, othersTurn, signal),
    evacuationPlan: async (wish) => evacuationPlan(await allocators.cluster(asking()), wish),
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
