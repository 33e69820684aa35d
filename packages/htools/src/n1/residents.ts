/** The primaries of a node as the N+1 test meets them when it empties the node, in its three steps. */

import { type Seat, seatOf } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import { movesForCapacity } from "../model/disk-template.js";
import { toArray } from "../model/index-list.js";
import type { Instance } from "../model/instance.js";

/** The instance being placed, and the index under which the nodes list it meanwhile. */
export interface Newcomer {
  readonly instance: Instance;
  readonly index: number;
}

export interface Resident {
  readonly instance: Instance;
  /** Follows the instance as it is moved. */
  seat: Seat;
}

export interface Residents {
  /** They fail over, in list order. */
  readonly mirrored: readonly Resident[];
  /** Their disks can be reached from elsewhere: they move, in list order. */
  readonly moving: readonly Resident[];
  /** The others are re-created elsewhere, largest memory first. */
  readonly staying: readonly Resident[];
}

/** Who an index means; the newcomer, once seated, may have the index of another instance. */
function residentAt(
  cluster: Cluster,
  index: number,
  newcomer: Newcomer,
  seat: Seat | undefined,
): Resident {
  if (index === newcomer.index && seat !== undefined) return { instance: newcomer.instance, seat };
  return { instance: cluster.instances[index] as Instance, seat: seatOf(cluster, index) };
}

/** @param seat of the newcomer; undefined before it has one */
export function residentsOf(
  cluster: Cluster,
  node: number,
  newcomer: Newcomer,
  seat: Seat | undefined,
): Residents {
  // An index listed twice, because the newcomer shares it, means one instance that is moved twice.
  const byIndex = new Map<number, Resident>();
  const residents = toArray(cluster.primaries[node]).map((index) => {
    const resident = byIndex.get(index) ?? residentAt(cluster, index, newcomer, seat);
    byIndex.set(index, resident);
    return resident;
  });
  const templateOf = ({ instance }: Resident) => instance.data.diskTemplate;
  return {
    mirrored: residents.filter((one) => templateOf(one) === "drbd"),
    moving: residents.filter((one) => movesForCapacity(templateOf(one))),
    staying: residents
      .filter((one) => templateOf(one) !== "drbd" && !movesForCapacity(templateOf(one)))
      .sort((a, b) => b.instance.memoryMib - a.instance.memoryMib),
  };
}
