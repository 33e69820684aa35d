/** A victim, as Ganeti calls an instance that balancing may move, with the bounds known for its moves. */

import { memoryReservedFor } from "../../fit/fitting.js";
import { type Placement, placementOf } from "../../fit/move.js";
import type { Cluster } from "../../model/cluster.js";
import type { Instance } from "../../model/instance.js";
import type { TargetedKind } from "../balance-move.js";
import type { BalanceOptions } from "../balance-options.js";
import { candidatesOf } from "../candidates.js";
import type { MirrorNode } from "./mirror-node.js";
import { kindAt } from "./move-kinds.js";

export class Victim {
  readonly isPair: boolean;
  /** Memory to be kept free on its secondary, in MiB. */
  readonly needed: number;
  /** Memory it takes on its primary now. */
  readonly used: number;
  placement: Placement;
  /** By kind, the bit 2^kind: what options and nodes allow; with `isKnown` what they can do. */
  kinds: number;
  /** What its own nodes become stands in the table. */
  isKnown = false;
  /** While it is known: the least that a move changes all of the score by that is no deviation. */
  leastLinear = Number.NEGATIVE_INFINITY;
  /** No move of it scores lower, by estimate; of the present state, kept up after every step. */
  lowest = Number.NEGATIVE_INFINITY;
  /** One of its moves does score so. */
  attained = false;
  /** The target of the best of its moves when they were looked at last; -1 if it had none. */
  bestPlace = -1;
  /** Those like it, itself among them; kept by `EqualVictims`. What like ones need has the same number. */
  equalVictims: Victim[] | undefined;
  needs = -1;
  /** Its primary and secondary as keepers of its mirror. */
  oldPrimary: MirrorNode | undefined;
  oldSecondary: MirrorNode | undefined;

  constructor(
    cluster: Cluster,
    readonly instance: Instance,
    options: BalanceOptions,
    /** Where its row in the table begins. */
    readonly row: number,
  ) {
    this.isPair = instance.data.diskTemplate === "drbd";
    this.needed = instance.forthcoming ? 0 : memoryReservedFor(instance);
    this.used = instance.usesMemory ? instance.memoryMib : 0;
    this.placement = placementOf(cluster, instance.index);
    this.kinds = kindsOf(cluster, instance, options);
  }

  /** Takes over that one of its nodes has changed, or that it has other nodes. */
  changed(cluster: Cluster, options: BalanceOptions): void {
    this.placement = placementOf(cluster, this.index);
    this.kinds = kindsOf(cluster, this.instance, options);
    this.isKnown = false;
  }

  get index(): number {
    return this.instance.index;
  }

  /** Whether its moves are looked at: those of like ones are the same. */
  get isFirst(): boolean {
    return this.equalVictims === undefined || this.equalVictims[0] === this;
  }

  can(kind: number): boolean {
    return (this.kinds & (1 << kind)) !== 0;
  }
}

const kindOfName: Readonly<Record<TargetedKind, number>> = {
  "replace-secondary": kindAt.replaceSecondary,
  "replace-and-failover": kindAt.replaceAndFailover,
  "replace-primary": kindAt.replacePrimary,
  "failover-and-replace": kindAt.failoverAndReplace,
  "failover-to-any": kindAt.failoverToAny,
};

function kindsOf(cluster: Cluster, instance: Instance, options: BalanceOptions): number {
  const { failover, kinds } = candidatesOf(cluster, instance, options);
  let bits = failover ? 1 << kindAt.failover : 0;
  for (const kind of kinds) bits |= 1 << kindOfName[kind];
  return bits;
}
