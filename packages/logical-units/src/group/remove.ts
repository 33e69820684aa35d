/** OP_GROUP_REMOVE: removes a group without nodes, unless it is the last one. */

import { PrereqError } from "@ganeti-ts/job-queue";
import { compareNaturally } from "@ganeti-ts/protocol";
import { masterHooks } from "../hooks/hooks.js";
import { changeConfig } from "../unit/config-change.js";
import { asExclusive, groupLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";

export const removeGroup: Unit<"OP_GROUP_REMOVE"> = {
  opcode: "OP_GROUP_REMOVE",
  hooks: masterHooks("group-remove", "GROUP", (op) => ({ GROUP_NAME: op.group_name })),

  locks: (op, now) => asExclusive(groupLock(now.expectGroup(op.group_name).uuid)),

  async run(op, world) {
    const { uuid } = world.config.snapshot.expectGroup(op.group_name);
    return changeConfig(world, op, (now) => {
      const nodes = now.nodesOfGroup(uuid).map(({ name }) => name as string);
      if (nodes.length > 0) {
        throw new PrereqError(
          "wrong_state",
          `Group '${op.group_name}' not empty, has the following nodes: ${nodes.sort(compareNaturally).join(", ")}`,
        );
      }
      if (now.groupCount === 1) {
        throw new PrereqError(
          "wrong_state",
          `Group '${op.group_name}' is the only group, cannot be removed`,
        );
      }
      return { changes: [{ kind: "remove", type: "group", uuid }], value: null };
    });
  },
};
