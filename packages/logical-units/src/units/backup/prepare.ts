/** OP_BACKUP_PREPARE: what an export needs beforehand; a local one needs nothing. */
import { PrereqError } from "../../errors.js";
import { checkNodeOnline } from "../../instance/node-checks.js";
import { namedRealInstance } from "../../instance/state.js";
import { asExclusive, instanceLock } from "../../locks.js";
import type { Unit } from "../../unit.js";

export const prepareExport: Unit<"OP_BACKUP_PREPARE"> = {
  opcode: "OP_BACKUP_PREPARE",
  locks: (op, now) => asExclusive(instanceLock(namedRealInstance(now, op))),
  async run(op, world) {
    const now = world.config.snapshot;
    checkNodeOnline(now, namedRealInstance(now, op).primary_node);
    if (op.mode === "remote") throw noRemoteExports();
    return null;
  },
};

export const noRemoteExports = (): PrereqError =>
  new PrereqError("wrong_input", "Exports to another cluster are not supported");
