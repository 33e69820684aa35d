/** OP_CLUSTER_BALANCE: the moves that balance groups, and the jobs that carry them out. Ganeti has no such opcode. */

import type { Snapshot } from "@ganeti-ts/config";
import type { GroupObject, Json, OpcodeOf } from "@ganeti-ts/protocol";
import { areChecksAll } from "../unit/checks-done.js";
import { asShared, groupLock, withNodes } from "../unit/locks.js";
import { resultWithJobs } from "../unit/submission.js";
import type { Unit } from "../unit/unit.js";

type Op = OpcodeOf<"OP_CLUSTER_BALANCE">;

/**
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
