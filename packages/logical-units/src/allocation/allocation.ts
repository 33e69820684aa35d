/** OP_CLUSTER_BALANCE and OP_CLUSTER_CAPACITY: where instances could go. Ganeti has no such opcodes. */

import type { WantedInstance } from "@ganeti-ts/allocators";
import type { Snapshot } from "@ganeti-ts/config";
import { bigLock } from "@ganeti-ts/locking";
import type { GroupObject, Json, JsonObject, OpcodeOf } from "@ganeti-ts/protocol";
import { parseSize } from "@ganeti-ts/protocol";
import { isNone } from "../instance/plan/names.js";
import { askedNic } from "../instance/plan/nics.js";
import { asShared, groupLock, withNodes } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import { areChecksAll, resultWithJobs, type Unit } from "../unit/unit.js";

type Op = OpcodeOf<"OP_CLUSTER_BALANCE">;

/**
 * OP_CLUSTER_BALANCE: the moves that balance groups, and the jobs that carry them out. Ganeti has no such opcode.
 *
 * The result has for each group with nodes its moves (instance, group, nodes), what the allocator said
 * and its figures; with `execute` also `jobs`, as evacuations have it, else the opcodes of each job.
 */
export const balance: Unit<"OP_CLUSTER_BALANCE"> = {
  opcode: "OP_CLUSTER_BALANCE",

  locks: (op, now) =>
    groupsOf(op, now).flatMap(({ uuid }) => [
      ...asShared(groupLock(uuid)),
      ...withNodes(
        now.nodesOfGroup(uuid).map((node) => node.uuid),
        "shared",
      ),
    ]),

  async run(op, world) {
    const { allocators, lease, signal, config } = world;
    const now = config.snapshot;
    const asking = { now, caller: { lease, signal }, iallocator: op.iallocator };
    const groups: Json[] = [];
    const jobs: Parameters<typeof resultWithJobs>[1][number][] = [];
    for (const group of groupsOf(op, now)) {
      const found = await allocators.balance(asking, group.uuid, op.max_moves);
      // Jobs name their dependencies by relative position, so all jobs are submitted together.
      jobs.push(...found.jobs);
      groups.push({
        group: group.name,
        info: found.info,
        moved: found.moved.map(({ name, group: target, nodes }) => [name, target, [...nodes]]),
        figures: found.figures,
        ...(!op.execute && { jobs: found.jobs.map((job) => [...job]) }),
      });
    }
    if (!op.execute || (await areChecksAll(world, op))) return { groups };
    return resultWithJobs(world, jobs, { groups });
  },
};

/** The named groups, or all; groups without nodes have no moves. */
const groupsOf = ({ groups }: Op, now: Snapshot): readonly GroupObject[] =>
  (groups?.map((name) => now.expectGroup(name)) ?? [...now.groups()]).filter(
    ({ uuid }) => now.nodesOfGroup(uuid).length > 0,
  );

/** The result is that of the allocator: the number, each with its nodes, and why there are no more. */
export const capacity: Unit<"OP_CLUSTER_CAPACITY"> = {
  opcode: "OP_CLUSTER_CAPACITY",

  locks: () => asShared(bigLock),

  async run(op, world) {
    const { allocators, lease, signal, config } = world;
    const now = config.snapshot;
    const group = op.group_name === undefined ? undefined : now.expectGroup(op.group_name).uuid;
    if (op.disks.some(({ size }) => size === undefined)) wrongInput("Missing size for disk");
    const { count, placed, figures } = await allocators.capacity(
      { now, caller: { lease, signal }, iallocator: op.iallocator },
      wantedInstance(now, "spec", op),
      { group, countMax: op.max_count },
    );
    const places: Json[] = placed.map(({ name, nodes }) => [name, [...nodes]]);
    return [count, places, figures];
  },
};

/** An instance, by parameters of that opcode; absent ones have the cluster's defaults. */
export type Planned = Partial<Omit<OpcodeOf<"OP_CLUSTER_CAPACITY">, "OP_ID">>;

/** Networks may be given by name. Disks without a size count as empty. @throws ConfigError for an unknown network */
export function wantedInstance(now: Snapshot, name: string, planned: Planned): WantedInstance {
  const { cluster } = now;
  const { disks = [], nics = [], tags = [] } = planned;
  const given = { ...planned.beparams };
  const { maxmem, vcpus, spindle_use } = {
    ...cluster.beparams.default,
    ...("memory" in given ? { maxmem: given.memory } : {}),
    ...given,
  } as JsonObject;
  return {
    name,
    memoryMib: numberOf(maxmem),
    vcpus: numberOf(vcpus),
    spindleUse: numberOf(spindle_use),
    diskTemplate: planned.disk_template ?? cluster.enabled_disk_templates[0] ?? "diskless",
    disks: disks.map(({ size = 0, spindles }) => ({ sizeMib: numberOf(size), spindles })),
    nics: nics.map(({ network, ...nic }) => {
      const uuid = isNone(network) ? network : now.expectNetwork(network).uuid;
      return askedNic(now, { ...nic, network: uuid });
    }),
    os: planned.os_type ?? "",
    hypervisor: planned.hypervisor ?? cluster.enabled_hypervisors[0] ?? "",
    tags,
  };
}

const numberOf = (value: unknown): number =>
  typeof value === "string" ? (parseSize(value) ?? 0) : Number(value);
