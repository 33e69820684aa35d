/**
 * OP_INSTANCE_REMOVE: stops an instance and removes it with its disks; for a reservation, releases
 * its resources.
 */
import {
  instanceOnNode,
  nodesOfInstance,
  realDisksOf,
  removalChanges,
  secondaryNodes,
} from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { ClaimOf, RealInstance } from "@ganeti-ts/protocol";
import { claimOfRunning, putting } from "../../capacity/claim.js";
import { onNodes } from "../../hooks/hooks.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, valueOrFail } from "../../unit/effects.js";
import { asExclusive, instanceLock, withNodes } from "../../unit/locks.js";
import { applied, areChecksAll, contextAt, type Unit, type UnitContext } from "../../unit/unit.js";
import { claimsOfLeft, removeDisks } from "../disks/creation.js";
import { checkNotCommitted } from "../plan/commit-claim.js";
import { releaseOldCopies } from "../replacement/discard.js";
import { namedInstance, nodeName } from "../state.js";

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

/**
 * Removal of a stopped instance: its disks from their nodes, then its objects from the
 * configuration.
 */
interface RemovalOptions {
  readonly ignoreFailures: boolean;
  /** Whether it is certain that the instance has been stopped. Default: true. */
  readonly isStopped?: boolean;
}

/** @throws ExecError if a disk may be left and failures are not ignored */
export async function removeWithDisks(
  context: UnitContext,
  instance: RealInstance,
  { ignoreFailures, isStopped = true }: RemovalOptions,
): Promise<void> {
  const disks = realDisksOf(context.now, instance);
  await releaseOldCopies(context, disks);
  const { ok, left } = await removeDisks(context, instance, disks);
  if (!ok) {
    if (!ignoreFailures) throw new ExecError("Can't remove instance's disks");
    context.log("Warning: can't remove instance's disks");
  }
  await applied(context, (latest) => {
    const then = contextAt(context, latest);
    const claims = claimsWithRunning(then, claimsOfLeft(then, left), instance, isStopped);
    const changes = [...removalChanges(latest, [instance.uuid]), ...claims.map(putting)];
    return changes;
  });
}

/**
 * Adds to the claims that the instance may still run there: on the primary node, with or without devices, unless that has
 * stopped it; on other nodes since a migration that was not finished.
 */
function claimsWithRunning(
  context: UnitContext,
  claims: readonly ClaimOf<"removal">[],
  instance: RealInstance,
  isStopped: boolean,
): readonly ClaimOf<"removal">[] {
  const { primary_node: primary } = instance;
  const marked = claims.map((claim) =>
    isStopped && claim.node === primary
      ? claim
      : claimOfRunning(context, claim.node, instance, claim),
  );
  const isPrimaryThere = claims.some(({ node }) => node === primary);
  if (isStopped || isPrimaryThere) return marked;
  return [...marked, claimOfRunning(context, primary, instance)];
}
