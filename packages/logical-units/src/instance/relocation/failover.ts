/** OP_INSTANCE_FAILOVER: stops an instance and starts it on another node that has its disks. */
import { secondaryNodes } from "@ganeti-ts/config";
import type { OpcodeOf } from "@ganeti-ts/protocol";
import { onNodes } from "../../hooks/hooks.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import type { Unit, World } from "../../unit/unit.js";
import { namedInstance } from "../state.js";
import { relocate } from "./relocate.js";
import { relocationLocks } from "./target.js";

export const failover: Unit<"OP_INSTANCE_FAILOVER"> = {
  opcode: "OP_INSTANCE_FAILOVER",
  hooks: {
    ...instanceHooks("instance-failover", {
      variables: (op) => ({
        IGNORE_CONSISTENCY: op.ignore_consistency,
        SHUTDOWN_TIMEOUT: op.shutdown_timeout,
        FAILOVER_CLEANUP: op.cleanup,
      }),
    }),
    /** The primary may be broken: its hooks run only afterwards. */
    nodes(op, now, { nodes = [] }) {
      const instance = namedInstance(now, op);
      const secondaries = secondaryNodes(now, instance);
      const { before } = onNodes(now.cluster.master_node, ...secondaries, ...nodes);
      return { before, after: onNodes(...before, instance.primary_node).after };
    },
  },

  locks: (op, now) => relocationLocks(op, now, namedInstance(now, op)),

  async run(op: OpcodeOf<"OP_INSTANCE_FAILOVER">, world: World) {
    await relocate(world, op, {
      way: "failover",
      shutdownTimeoutSeconds: op.shutdown_timeout,
      ignoreConsistency: op.ignore_consistency,
    });
    return null;
  },
};
