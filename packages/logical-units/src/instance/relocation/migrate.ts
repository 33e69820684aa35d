/** OP_INSTANCE_MIGRATE: moves a running instance to another node that has its disks. */
import { nodesOfInstance } from "@ganeti-ts/config";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import type { Unit } from "../../unit/unit.js";
import { namedInstance } from "../state.js";
import { relocate } from "./relocate.js";
import { relocationLocks } from "./target.js";

export const migrate: Unit<"OP_INSTANCE_MIGRATE"> = {
  opcode: "OP_INSTANCE_MIGRATE",
  hooks: instanceHooks("instance-migrate", {
    variables: (op) => ({
      MIGRATE_LIVE: op.live ?? null,
      MIGRATE_CLEANUP: op.cleanup,
      ALLOW_RUNTIME_CHANGES: op.allow_runtime_changes,
    }),
    nodes: (_, now, instance, { nodes = [] }) => [...nodesOfInstance(now, instance), ...nodes],
  }),

  locks: (op, now) => relocationLocks(op, now, namedInstance(now, op)),

  async run(op, world) {
    await relocate(world, op, {
      way: "migration",
      mode: op.mode,
      live: op.live,
      allowFailover: op.allow_failover,
      allowRuntimeChanges: op.allow_runtime_changes,
      ignoreVersions: op.ignore_hvversions,
    });
    return null;
  },
};
