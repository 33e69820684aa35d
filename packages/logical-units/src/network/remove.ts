/** OP_NETWORK_REMOVE: removes a network that no group is connected to. */

import { PrereqError } from "@ganeti-ts/job-queue";
import { groupLockName } from "@ganeti-ts/locking";
import { compareNaturally } from "@ganeti-ts/protocol";
import { masterHooks } from "../hooks/hooks.js";
import { changeConfig } from "../unit/config-change.js";
import { warn } from "../unit/feedback.js";
import { asExclusive, asShared, networkLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { connectedGroups } from "./network-parameters.js";

export const removeNetwork: Unit<"OP_NETWORK_REMOVE"> = {
  opcode: "OP_NETWORK_REMOVE",
  hooks: masterHooks("network-remove", "NETWORK", (op) => ({ NETWORK_NAME: op.network_name })),

  locks: (op, now) => [
    ...asShared(groupLockName("nodegroup")),
    ...asExclusive(networkLock(now.expectNetwork(op.network_name).uuid)),
  ],

  async run(op, world) {
    const now = world.config.snapshot;
    const { uuid } = now.expectNetwork(op.network_name);
    const groups = connectedGroups(now, now.expectNetwork(uuid));
    if (groups.length > 0) {
      const names = [...groups].sort(compareNaturally).join(", ");
      warn(
        world,
        `Network '${op.network_name}' is connected to the following node groups: ${names}`,
      );
      throw new PrereqError("wrong_state", "Network still connected");
    }
    return changeConfig(world, op, () => ({
      changes: [{ kind: "remove", type: "network", uuid }],
      value: null,
    }));
  },
};
