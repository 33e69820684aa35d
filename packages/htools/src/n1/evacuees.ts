/** Evacuees: the primaries of a node that the N+1 test empties, in the three steps of the test. */

import { isMirrored } from "@ganeti-ts/protocol";
import { type Placement, placementOf } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import { movesForCapacity } from "../model/disk-template.js";
import { toArray } from "../model/index-list.js";
import { type Instance, makeInstance } from "../model/instance.js";
import { TagRules } from "../model/tag-rules.js";
import { unplacedInstance } from "../model/unplaced-instance.js";

/** The instance being placed, and the index under which the nodes list it meanwhile. */
export interface Newcomer {
  readonly instance: Instance;
  readonly index: number;
  /** The instance as nodes list it, if that differs: one that is to get a mirror is still listed without. */
  readonly listed?: Instance;
}

/** A newcomer without needs, listed on no node. */
export const nobody: Newcomer = {
  instance: makeInstance(
    unplacedInstance(
      { memoryMib: 0, diskMib: 0, vcpus: 0, spindleUse: 0, diskTemplate: "diskless" },
      { status: "ADMIN_offline" },
    ),
    -1,
    new TagRules([]),
  ),
  index: -1,
};

export interface Evacuee {
  readonly instance: Instance;
  /** Updated as the instance moves. */
  placement: Placement;
}

export interface Evacuees {
  /** Instances that fail over, in list order. */
  readonly mirrored: readonly Evacuee[];
  /** Instances whose disks can be reached from elsewhere, which move, in list order. */
  readonly moving: readonly Evacuee[];
  /** All other instances, re-created elsewhere, largest memory first. */
  readonly staying: readonly Evacuee[];
}

/** The instance of an index; the newcomer, once placed, may have the index of another instance. */
function evacueeAt(
  cluster: Cluster,
  index: number,
  newcomer: Newcomer,
  placement: Placement | undefined,
): Evacuee {
  if (index === newcomer.index && placement !== undefined)
    return { instance: newcomer.instance, placement };
  return { instance: cluster.instanceAt(index), placement: placementOf(cluster, index) };
}

/** @param placement placement of the newcomer; undefined before it has one */
export function evacueesOf(
  cluster: Cluster,
  node: number,
  newcomer: Newcomer,
  placement: Placement | undefined,
): Evacuees {
  // An index listed twice, because the newcomer shares it, stands for one instance that is moved twice.
  const byIndex = new Map<number, Evacuee>();
  const evacuees = toArray(cluster.primaries[node]).map((index) => {
    const evacuee = byIndex.get(index) ?? evacueeAt(cluster, index, newcomer, placement);
    byIndex.set(index, evacuee);
    return evacuee;
  });
  const templateOf = ({ instance }: Evacuee) => instance.data.diskTemplate;
  return {
    mirrored: evacuees.filter((one) => isMirrored(templateOf(one))),
    moving: evacuees.filter((one) => movesForCapacity(templateOf(one))),
    staying: evacuees
      .filter((one) => !isMirrored(templateOf(one)) && !movesForCapacity(templateOf(one)))
      .sort((a, b) => b.instance.memoryMib - a.instance.memoryMib),
  };
}
