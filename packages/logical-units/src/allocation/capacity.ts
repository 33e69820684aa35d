/**
 * OP_CLUSTER_CAPACITY: the number of further instances of one kind that fit. Ganeti has no such
 * opcode.
 */

import type { WantedInstance } from "@ganeti-ts/allocators";
import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { bigLock } from "@ganeti-ts/locking";
import type { Json, OpcodeOf } from "@ganeti-ts/protocol";
import { askedNic } from "../instance/create/asked-nics.js";
import { asShared } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";

type Op = OpcodeOf<"OP_CLUSTER_CAPACITY">;

/** The result is that of the allocator: the number, each with its nodes, and why there are no more. */
export const capacity: Unit<"OP_CLUSTER_CAPACITY"> = {
  opcode: "OP_CLUSTER_CAPACITY",

  locks: () => asShared(bigLock),

  async run(op, world) {
    const { allocators, lease, signal, config } = world;
    const now = config.snapshot;
    const group = op.group_name === undefined ? undefined : now.expectGroup(op.group_name).uuid;
    const { count, placed, figures } = await allocators.capacity(
      { now, caller: { lease, signal }, iallocator: op.iallocator },
      wantedOf(op, now),
      { group, countMax: op.max_count },
    );
    const places: Json[] = placed.map(({ name, nodes }) => [name, [...nodes]]);
    return [count, places, figures];
  },
};

/** The wanted instance, completed with the cluster's defaults. */
function wantedOf(op: Op, now: Snapshot): WantedInstance {
  const { cluster } = now;
  const { maxmem, memory, vcpus, spindle_use } = {
    memory: undefined,
    ...cluster.beparams.default,
    ...op.beparams,
  };
  return {
    name: "spec",
    memoryMib: Number(op.beparams.maxmem ?? memory ?? maxmem),
    vcpus: Number(vcpus),
    spindleUse: Number(spindle_use),
    diskTemplate: op.disk_template ?? cluster.enabled_disk_templates[0] ?? "diskless",
    disks: op.disks.map(({ size, spindles }) => {
      if (size === undefined) throw new PrereqError("wrong_input", "Missing size for disk");
      return { sizeMib: Number(size), spindles: spindles ?? null };
    }),
    nics: op.nics.map((nic) => askedNic(now, nic)),
    os: op.os_type ?? "",
    hypervisor: op.hypervisor ?? cluster.enabled_hypervisors[0] ?? "",
    tags: op.tags,
  };
}
