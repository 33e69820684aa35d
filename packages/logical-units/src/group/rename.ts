/** OP_GROUP_RENAME: gives a group another name. */

import { PrereqError } from "@ganeti-ts/job-queue";
import { masterAndMembers } from "../hooks/hooks.js";
import { changeConfig } from "../unit/config-change.js";
import { asExclusive, groupLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";

export const renameGroup: Unit<"OP_GROUP_RENAME"> = {
  opcode: "OP_GROUP_RENAME",
  hooks: {
    path: "group-rename",
    object: "GROUP",
    environment: (op) => ({ OLD_NAME: op.group_name, NEW_NAME: op.new_name }),
    nodes: (op, now) => masterAndMembers(now, now.expectGroup(op.group_name).uuid),
  },

  locks: (op, now) => asExclusive(groupLock(now.expectGroup(op.group_name).uuid)),

  async run(op, world) {
    const { uuid } = world.config.snapshot.expectGroup(op.group_name);
    return changeConfig(world, op, (now) => {
      const taken = now.findGroup(op.new_name);
      if (taken !== undefined) {
        throw new PrereqError(
          "already_exists",
          `Desired new name '${op.new_name}' clashes with existing node group (UUID: ${taken.uuid})`,
        );
      }
      const object = { ...now.expectGroup(uuid), name: op.new_name };
      return { changes: [{ kind: "put", type: "group", object }], value: op.new_name };
    });
  },
};
