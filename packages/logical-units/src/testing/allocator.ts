/** OP_TEST_ALLOCATOR: returns the message to an allocator, or its answer. */

import type { RequestEntry, WantedEntry } from "@ganeti-ts/allocators";
import { diskSpaceMib, nodesOf as nodesOfInstance, wantedEntry } from "@ganeti-ts/allocators";
import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { bigLock } from "@ganeti-ts/locking";
import { isJsonObject, type Json, type OpcodeOf } from "@ganeti-ts/protocol";
import { askedNic } from "../instance/plan/nics.js";
import { asShared } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import type { Unit } from "../unit/unit.js";

type Op = OpcodeOf<"OP_TEST_ALLOCATOR">;

export const testAllocator: Unit<"OP_TEST_ALLOCATOR"> = {
  opcode: "OP_TEST_ALLOCATOR",

  locks: () => asShared(bigLock),

  async run(op, world) {
    const { lease, signal, allocators } = world;
    const now = world.config.snapshot;
    const request = requestOf(op, now);
    const asking = { now, caller: { lease, signal }, iallocator: op.iallocator };
    if (op.direction === "in") return allocators.message(asking, request);
    if (op.iallocator === undefined) wrongInput("Missing allocator name");
    return allocators.rawAnswer(asking, request);
  },
};

function requestOf(op: Op, now: Snapshot): RequestEntry {
  switch (op.mode) {
    case "allocate":
      return { type: "allocate", ...wantedOf(op, now, op.name), group_name: op.group_name ?? null };
    case "multi-allocate":
      return {
        type: "multi-allocate",
        instances: Array.from({ length: op.count }, (_, at) =>
          wantedOf(op, now, `${op.name}${at}`),
        ),
      };
    case "relocate":
      return relocation(op, now);
    case "change-group":
      return {
        type: "change-group",
        instances: instancesOf(op, now),
        target_groups: (op.target_groups ?? []).map((name) => now.expectGroup(name).uuid),
      };
    case "node-evacuate":
      return {
        type: "node-evacuate",
        instances: instancesOf(op, now),
        evac_mode: op.evac_mode ?? "all",
      };
    case "balance":
      return { type: "balance", max_moves: -1, group_name: groupOf(op, now) };
    case "capacity":
      return {
        type: "capacity",
        ...wantedOf(op, now, op.name),
        group_name: groupOf(op, now),
        max_count: op.count > 0 ? op.count : null,
      };
    default:
      wrongInput(`Invalid test allocator mode '${op.mode}'`);
  }
}

/** UUID of the named group; null for all groups. */
const groupOf = ({ group_name }: Op, now: Snapshot): string | null =>
  group_name === undefined ? null : now.expectGroup(group_name).uuid;

function wantedOf(op: Op, now: Snapshot, name: string): WantedEntry {
  const known = now.findInstance(op.name);
  if (known !== undefined) {
    throw new PrereqError(
      "already_exists",
      `Instance '${known.name ?? known.uuid}' already in the cluster`,
    );
  }
  return wantedEntry({
    name,
    memoryMib: op.memory ?? 0,
    vcpus: op.vcpus ?? 0,
    spindleUse: op.spindle_use,
    diskTemplate: op.disk_template ?? now.cluster.enabled_disk_templates[0] ?? "diskless",
    disks: (op.disks ?? []).map(diskOf),
    nics: (op.nics ?? []).map((nic) => askedNic(now, nic)),
    os: op.os ?? "",
    hypervisor: op.hypervisor ?? now.cluster.enabled_hypervisors[0] ?? "",
    tags: op.tags,
  });
}

function diskOf(disk: unknown) {
  const { size, mode, spindles } = isJsonObject(disk as Json) ? (disk as Record<string, Json>) : {};
  if (typeof size !== "number" || (mode !== "rw" && mode !== "ro")) {
    wrongInput("Invalid contents of the 'disks' parameter");
  }
  return { sizeMib: size, mode, spindles: typeof spindles === "number" ? spindles : null };
}

function relocation({ name }: Op, now: Snapshot): RequestEntry {
  const instance = now.expectInstance(name);
  const disks = now.disksOf(instance);
  const { secondaries } = nodesOfInstance(now, instance.uuid);
  return {
    type: "relocate",
    name: instance.name ?? instance.uuid,
    disk_space_total: diskSpaceMib(
      disks.map(({ dev_type, size }) => ({ type: dev_type ?? null, size: size ?? 0 })),
    ),
    required_nodes: 1,
    relocate_from: secondaries,
  };
}

function instancesOf({ instances = [] }: Op, now: Snapshot): readonly string[] {
  if (instances.length === 0) wrongInput("Missing instances");
  return instances.map((name) => {
    const instance = now.expectInstance(name);
    return instance.name ?? instance.uuid;
  });
}
