/** OP_INSTANCE_FAILOVER: stops an instance and starts it on another node that has its disks. */
import type { OpcodeOf } from "@ganeti-ts/protocol";
import { relocate } from "../../instance/relocation/relocate.js";
import { relocationLocks } from "../../instance/relocation/target.js";
import { namedInstance } from "../../instance/state.js";
import type { Unit, World } from "../../unit.js";

export const failover: Unit<"OP_INSTANCE_FAILOVER"> = {
  opcode: "OP_INSTANCE_FAILOVER",

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
