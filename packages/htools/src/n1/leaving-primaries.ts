/** The primaries of a node, as emptying the node counts them. */
import { isMirrored } from "@ganeti-ts/protocol";
import { fits } from "../fit/misfit.js";
import type { Placement } from "../fit/move.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import { movesForCapacity } from "../model/disk-template.js";
import type { IndexList } from "../model/index-list.js";
import type { Instance } from "../model/instance.js";
import type { Newcomer } from "./evacuees.js";
import type { LeavingInstance } from "./room-count.js";

/** An instance that does not fail over: it moves, or is re-created. */
export interface Leaver extends LeavingInstance {
  readonly instance: Instance;
  /** Whether migration tags or the policy let it move to a node of its group. */
  readonly accepts: (target: number) => boolean;
}

export interface LeavingPrimaries {
  /** A mirrored one has no secondary. */
  readonly isStuck: boolean;
  /** Whether counting decides. */
  readonly isRegular: boolean;
  /** The node lists an instance with the newcomer's index, which is left out. */
  readonly skipsNewcomer: boolean;
  /** The nodes that mirrored ones fail over to, and the memory (MiB) that each of these must have for them. */
  readonly secondaries: readonly number[];
  readonly memoryTo: readonly number[];
  /** The others, in the order in which they leave. */
  readonly others: readonly Leaver[];
  /** Whether every node of the group without exclusive storage accepts them. */
  readonly areAccepted: boolean;
  /** Maximum that one of them needs, and that fails over to one node before. */
  readonly largest: { readonly memoryMib: number; readonly diskMib: number };
  readonly mostMemoryTo: number;
}

/**
 * O(primaries).
 * @param placement of the newcomer, which this node lists then; undefined: it is skipped
 */
export function leavingPrimaries(
  cluster: Cluster,
  node: number,
  newcomer: Newcomer,
  placement?: Placement,
): LeavingPrimaries {
  const { exclusiveStorage } = cluster.facts;
  const memoryTo = new Map<number, number>();
  const others: Leaver[] = [];
  let [isStuck, isRegular, skipsNewcomer, newcomers] = [false, true, false, 0];
  for (let at = cluster.primaries[node]; at !== undefined && !isStuck; at = at.rest) {
    const isNewcomer = at.index === newcomer.index;
    if (isNewcomer && placement === undefined) {
      skipsNewcomer = true;
      continue;
    }
    if (isNewcomer && ++newcomers > 1) isRegular = false;
    const known = isNewcomer ? placement : undefined;
    const demand = isNewcomer ? newcomer.instance : cluster.demandOf(at.index);
    const needed = demand.usesMemory ? demand.memoryMib : 0;
    const primary = known?.primary ?? cluster.primaryOf[at.index];
    isRegular &&= primary === node && needed >= 0 && demand.diskMib >= 0;
    if (!isMirrored(demand.data.diskTemplate)) {
      others.push(
        leaverOf(cluster, isNewcomer ? newcomer.instance : cluster.instanceAt(at.index), node),
      );
      continue;
    }
    const secondary = known?.secondary ?? (cluster.secondaryOf[at.index] as number);
    isStuck = secondary < 0;
    isRegular &&= secondary !== node && exclusiveStorage[secondary] === 0;
    memoryTo.set(secondary, (memoryTo.get(secondary) ?? 0) + needed);
  }
  return {
    isStuck,
    isRegular,
    skipsNewcomer,
    secondaries: [...memoryTo.keys()],
    memoryTo: [...memoryTo.values()],
    others: inLeavingOrder(others),
    areAccepted:
      exclusiveStorage[node] === 0 &&
      (cluster.facts.migrationTags[node] as readonly string[]).length === 0 &&
      others.every(({ accepts }) => accepts(node)),
    largest: {
      memoryMib: others.reduce((most, one) => Math.max(most, one.memoryMib), 0),
      diskMib: others.reduce((most, one) => Math.max(most, one.diskMib), 0),
    },
    mostMemoryTo: Math.max(0, ...memoryTo.values()),
  };
}

/** Resources that a forced placement requires. */
export function leaverOf(cluster: Cluster, instance: Instance, node: number): Leaver {
  const { usesMemory, memoryMib, local, diskMib } = instance;
  return {
    instance,
    memoryMib: usesMemory ? memoryMib : 0,
    diskMib: local ? diskMib : 0,
    local,
    accepts: acceptanceOf(cluster, instance, node),
  };
}

function acceptanceOf(
  cluster: Cluster,
  instance: Instance,
  node: number,
): (target: number) => boolean {
  if (movesForCapacity(instance.data.diskTemplate)) {
    return (target) => cluster.migrationLegal(node, target);
  }
  const { exclusiveStorage } = cluster.facts;
  const byStorage: (boolean | undefined)[] = [];
  return (target) => {
    const storage = exclusiveStorage[target] as number;
    byStorage[storage] ??= policyVerdict(cluster, instance, target) === fits;
    return byStorage[storage];
  };
}

/** First those that move, then those that are re-created, the largest first. */
export function inLeavingOrder(leavers: readonly Leaver[]): readonly Leaver[] {
  if (leavers.length < 2) return leavers;
  const moves = ({ instance }: Leaver) => movesForCapacity(instance.data.diskTemplate);
  const staying = leavers.filter((leaver) => !moves(leaver));
  staying.sort((a, b) => b.instance.memoryMib - a.instance.memoryMib);
  return [...leavers.filter(moves), ...staying];
}

/**
 * Memory of what nodes list, for a cluster whose instances never move, only come and are taken back: each list of a
 * node then stands for the same instances for good.
 */
export class KnownPrimaries {
  private readonly byList = new WeakMap<IndexList, LeavingPrimaries>();

  /** O(1) unless the node's list is new. The node must not list the newcomer. */
  of(cluster: Cluster, node: number, newcomer: Newcomer): LeavingPrimaries {
    const list = cluster.primaries[node];
    let known = list && this.byList.get(list);
    if (known === undefined) {
      known = leavingPrimaries(cluster, node, newcomer);
      if (list !== undefined) this.byList.set(list, known);
    }
    return known;
  }
}
