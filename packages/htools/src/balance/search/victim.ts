/** An instance that balancing may move, with what is known about its moves. */
import type { Cluster } from "../../cluster.js";
import { memoryReservedFor } from "../../fitting.js";
import type { Instance } from "../../instance.js";
import { type Seat, seatOf } from "../../move.js";
import type { BalanceOptions } from "../balance-options.js";
import { candidatesOf } from "../candidates.js";
import type { Keeper } from "./keeper.js";
import { kindNames } from "./kinds.js";

export class Victim {
  readonly isPair: boolean;
  /** Memory to be kept free on its secondary, in MiB. */
  readonly needed: number;
  /** Memory it takes on its primary now. */
  readonly used: number;
  seat: Seat;
  /** By kind, the bit 2^kind: what options and nodes allow; with `isKnown` what they can do. */
  kinds: number;
  /** What its own nodes become stands in the table. */
  isKnown = false;
  /** No move of it scores lower, by estimate; of the present state, kept up after every step. */
  lowest = Number.NEGATIVE_INFINITY;
  /** One of its moves does score so. */
  attained = false;
  /** The target of the best of its moves when they were looked at last; -1 if it had none. */
  bestPlace = -1;
  /** Its primary and secondary as keepers of its mirror. */
  oldPrimary: Keeper | undefined;
  oldSecondary: Keeper | undefined;

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
    this.seat = seatOf(cluster, instance.index);
    this.kinds = kindsOf(cluster, instance, options);
  }

  /** Takes over that one of its nodes has changed, or that it has other nodes. */
  changed(cluster: Cluster, options: BalanceOptions): void {
    this.seat = seatOf(cluster, this.index);
    this.kinds = kindsOf(cluster, this.instance, options);
    this.isKnown = false;
  }

  get index(): number {
    return this.instance.index;
  }

  can(kind: number): boolean {
    return (this.kinds & (1 << kind)) !== 0;
  }
}

function kindsOf(cluster: Cluster, instance: Instance, options: BalanceOptions): number {
  const { failover, kinds } = candidatesOf(cluster, instance, options);
  const names: readonly string[] = failover ? ["failover", ...kinds] : kinds;
  return kindNames.reduce((bits, name, kind) => bits | (names.includes(name) ? 1 << kind : 0), 0);
}
