/** OP_NODE_MIGRATE: submits a job for each instance with its primary on the node. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { diskTemplate, type Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, JsonObject, OpcodeOf } from "@ganeti-ts/protocol";
import { isUnmirrored } from "@ganeti-ts/protocol";
import { masterHooks } from "../hooks/hooks.js";
import { warn } from "../unit/effects.js";
import { asShared, nodeLock } from "../unit/locks.js";
import { namedNode } from "../unit/nodes.js";
import { resultWithJobs, type Unit } from "../unit/unit.js";

type Op = OpcodeOf<"OP_NODE_MIGRATE">;

export const migrateNode: Unit<"OP_NODE_MIGRATE"> = {
  opcode: "OP_NODE_MIGRATE",
  hooks: masterHooks("node-migrate", "NODE", (op) => ({
    NODE_NAME: op.node_name,
    ALLOW_RUNTIME_CHANGES: op.allow_runtime_changes,
  })),

  locks: (op, now) => asShared(nodeLock(namedNode(now, op).uuid)),

  async run(op, world) {
    const now = world.config.snapshot;
    const { primary: instances } = now.instancesOfNode(namedNode(now, op).uuid);
    const movable = instances.filter((one) => canMove(now, one));
    for (const one of instances) {
      if (movable.includes(one)) continue;
      const template = diskTemplate(now, one);
      warn(
        world,
        `Instance ${instanceLabel(one)} is not migrated: its disk layout '${template}' does not allow it`,
      );
    }
    const jobs = movable.map((one) => [one.forthcoming ? failover(op, one) : migration(op, one)]);
    await world.hooks.before();
    return op.dry_run ? { jobs: [] } : resultWithJobs(world, jobs);
  },
};

function canMove(now: Snapshot, instance: InstanceObject): boolean {
  const template = diskTemplate(now, instance);
  return instance.forthcoming === true || !(template === "mixed" || isUnmirrored(template));
}

const migration = (op: Op, instance: InstanceObject): JsonObject => ({
  OP_ID: "OP_INSTANCE_MIGRATE",
  instance_name: instanceLabel(instance),
  ...given({ mode: op.mode, live: op.live, ...target(op) }),
  allow_runtime_changes: op.allow_runtime_changes,
  ignore_ipolicy: op.ignore_ipolicy,
});

/** A reservation does not run: only the configuration changes. */
const failover = (op: Op, instance: InstanceObject): JsonObject => ({
  OP_ID: "OP_INSTANCE_FAILOVER",
  instance_name: instanceLabel(instance),
  ...given(target(op)),
  ignore_ipolicy: op.ignore_ipolicy,
});

const target = ({ iallocator, target_node }: Op) => ({ iallocator, target_node });

const given = (values: Readonly<Record<string, string | boolean | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string | boolean] => {
      return entry[1] !== undefined;
    }),
  );
