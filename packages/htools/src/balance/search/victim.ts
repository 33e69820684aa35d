/** A victim, as Ganeti calls an instance that balancing may move, with the bounds known for its moves. */

import { isMirrored } from "@ganeti-ts/protocol";
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
  /** Memory its secondary must reserve, in MiB. */
  readonly needed: number;
  /** Memory it uses on its primary now. */
  readonly used: number;
  placement: Placement;
  /** By kind, the bit 2^kind: kinds that options and nodes allow; with `isKnown`, kinds that are possible. */
  kinds: number;
  /** Whether the table has the sums of its own nodes. */
  isKnown = false;
  /** While `isKnown`: minimum change of the terms that are not deviations, over all moves. */
  leastLinear = Number.NEGATIVE_INFINITY;
  /** Lower bound of the estimates of its moves in the present state, updated after every step. */
  lowest = Number.NEGATIVE_INFINITY;
  /** Whether one of its moves has this score. */
  attained = false;
  /** The target of its best move in the last search; -1 if there was none. */
  bestPlace = -1;
  /**
   * Victims equal to it, including itself; maintained by `EqualVictims`. Equal needs have the same number.
   */
  equalVictims: Victim[] | undefined;
  needs = -1;
  /** Its primary and secondary as mirror nodes. */
  oldPrimary: MirrorNode | undefined;
  oldSecondary: MirrorNode | undefined;

  constructor(
    cluster: Cluster,
    readonly instance: Instance,
    options: BalanceOptions,
    /** Index at which its row in the table begins. */
    readonly row: number,
  ) {
    this.isPair = isMirrored(instance.data.diskTemplate);
    this.needed = instance.forthcoming ? 0 : memoryReservedFor(instance);
    this.used = instance.usesMemory ? instance.memoryMib : 0;
    this.placement = placementOf(cluster, instance.index);
    this.kinds = kindsOf(cluster, instance, options);
  }

  /** Updates the victim after one of its nodes has changed, or after it has moved. */
  changed(cluster: Cluster, options: BalanceOptions): void {
    this.placement = placementOf(cluster, this.index);
    this.kinds = kindsOf(cluster, this.instance, options);
    this.isKnown = false;
  }

  get index(): number {
    return this.instance.index;
  }

  /** Whether its moves are examined: those of equal victims have the same scores. */
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
