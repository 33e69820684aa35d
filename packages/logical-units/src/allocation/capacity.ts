/**
 * OP_CLUSTER_CAPACITY: the number of further instances of one kind that fit. Ganeti has no such
 * opcode.
 */

import { PrereqError } from "@ganeti-ts/job-queue";
import { bigLock } from "@ganeti-ts/locking";
import type { Json } from "@ganeti-ts/protocol";
import { asShared } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { wantedInstance } from "./wanted.js";

/** The result is that of the allocator: the number, each with its nodes, and why there are no more. */
export const capacity: Unit<"OP_CLUSTER_CAPACITY"> = {
  opcode: "OP_CLUSTER_CAPACITY",

  locks: () => asShared(bigLock),

  async run(op, world) {
    const { allocators, lease, signal, config } = world;
    const now = config.snapshot;
    const group = op.group_name === undefined ? undefined : now.expectGroup(op.group_name).uuid;
    if (op.disks.some(({ size }) => size === undefined)) {
      throw new PrereqError("wrong_input", "Missing size for disk");
    }
    const { count, placed, figures } = await allocators.capacity(
      { now, caller: { lease, signal }, iallocator: op.iallocator },
      wantedInstance(now, "spec", op),
      { group, countMax: op.max_count },
    );
    const places: Json[] = placed.map(({ name, nodes }) => [name, [...nodes]]);
    return [count, places, figures];
  },
};
