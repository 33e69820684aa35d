/**
 * OP_INSTANCE_REMOVE: stops an instance and removes it with its disks; for a reservation, releases
 * its resources.
 */

import { instanceOnNode, nodesOfInstance, removalChanges, secondaryNodes } from "@ganeti-ts/config";
import { onNodes } from "../hooks/hooks.js";
import { instanceHooks } from "../hooks/instance-hooks.js";
import { ask, valueOrFail } from "../unit/effects.js";
import { asExclusive, instanceLock, withNodes } from "../unit/locks.js";
import { applied, areChecksAll, contextAt, type Unit } from "../unit/unit.js";
import { checkNotCommitted } from "./create/commit-claim.js";
import { removeWithDisks } from "./removal.js";
import { namedInstance, nodeName } from "./state.js";

export const remove: Unit<"OP_INSTANCE_REMOVE"> = {
  opcode: "OP_INSTANCE_REMOVE",
  hooks: {
    ...instanceHooks("instance-remove", {
      variables: (op) => ({ SHUTDOWN_TIMEOUT: op.shutdown_timeout }),
    }),
    nodes(op, now) {
      const { master_node: master } = now.cluster;
      const own = nodesOfInstance(now, namedInstance(now, op));
      return { before: [master], after: onNodes(...own, master).after };
    },
  },

  locks(op, now) {
    const instance = namedInstance(now, op);
    // A reservation has no devices on its nodes.
    if (instance.forthcoming) return asExclusive(instanceLock(instance));
    const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
    return [...asExclusive(instanceLock(instance)), ...withNodes(nodes, "exclusive")];
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedInstance(now, op);
    if (await areChecksAll(world, op)) return null;

    if (!instance.forthcoming) {
      const stopped = await ask(world, instance.primary_node, "instance_shutdown", {
        instance: instanceOnNode(now, instance),
        timeoutSeconds: op.shutdown_timeout,
        reason: op.reason,
      });
      if (op.ignore_failures) {
        if (!stopped.ok) world.log(`Warning: can't shutdown instance: ${stopped.message}`);
      } else {
        const node = nodeName(now, instance.primary_node);
        valueOrFail(stopped, `Could not shutdown instance ${instance.name} on node ${node}`);
      }
      await removeWithDisks(contextAt(world, now), instance, {
        ignoreFailures: op.ignore_failures,
        isStopped: stopped.ok,
      });
      return null;
    }
    await applied(world, (latest) => {
      checkNotCommitted(contextAt(world, latest), instance.uuid);
      return removalChanges(latest, [instance.uuid]);
    });
    return null;
  },
};
