/** OP_NETWORK_RENAME: renames a network; its UUID and references to it stay. */

import { PrereqError } from "@ganeti-ts/job-queue";
import { changeConfig } from "../unit/config-change.js";
import { asExclusive, networkLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";

export const renameNetwork: Unit<"OP_NETWORK_RENAME"> = {
  opcode: "OP_NETWORK_RENAME",

  locks: (op, now) => asExclusive(networkLock(now.expectNetwork(op.network_name).uuid)),

  async run(op, world) {
    const { uuid } = world.config.snapshot.expectNetwork(op.network_name);
    return changeConfig(world, op, (now) => {
      const taken = now.findNetwork(op.new_name);
      if (taken !== undefined) {
        throw new PrereqError(
          "already_exists",
          `Desired new name '${op.new_name}' clashes with existing network (UUID: ${taken.uuid})`,
        );
      }
      const object = { ...now.expectNetwork(uuid), name: op.new_name };
      return { changes: [{ kind: "put", type: "network", object }], value: op.new_name };
    });
  },
};
