/** Failover: stops an instance at the source and starts it at the target. */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import { filledBeparams, instanceOnNode, put, realDisksOf } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { Claim, ForthcomingInstance, Json, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { claimOfRunning, dropping, putting } from "../../capacity/claim.js";
import { type Demand, take } from "../../capacity/demand.js";
import { startingOf, whileStarting } from "../../capacity/with-claims.js";
import { ask, warn } from "../../unit/effects.js";
import { applied, contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { isDiskConsistent } from "../disks/disk-consistency.js";
import { assembleDisks, shutdownDisks } from "../running/activation.js";
import { startOnNode, stopByName } from "../running/left-running.js";
import { nodeName, shownName } from "../state.js";
import { closeDisks, type Journey, travellerOnNode } from "./journey.js";
import { isOnSharedStorage } from "./target.js";

interface FailoverOptions {
  readonly shutdownTimeoutSeconds: number;
  /** Accepts a degraded mirror, and a source that fails to stop the instance. */
  readonly ignoreConsistency: boolean;
}

/**
 * The configuration names the target as primary as soon as the source has released everything, and
 * before the instance is started: if the job dies, the instance can be started at the target.
 * @throws PrereqError, ExecError
 */
export async function failOverInstance(
  world: World,
  journey: Journey,
  options: FailoverOptions,
): Promise<void> {
  world.log(`Failover instance ${journey.instance.name}`);
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const { instance, target } = journey;
  const isUp = instance.admin_state === "up";
  const how = { node: target, verb: "migrating" };
  const starting = isUp ? startingOf(now, instance, how) : undefined;
  await whileStarting(world, starting, async (bounds) => {
    await checkDisks(context, journey, options);
    const isStopped = await stopAtSource(context, journey, options);
    const { moved, left } = await takeToTarget(world, journey, isStopped);
    if (moved.admin_state !== "up") return;
    const failure = await startAtTarget(world, moved, bounds);
    if (failure === undefined) return;
    // A start whose answer was lost may have succeeded: an instance that runs there stays there.
    const isDown =
      isStopped || !failure.isTried || (await stopByName(world, now, target, moved)).ok;
    await shutdownDisks(world, moved);
    if (!isStopped && isDown) await putBack(world, journey, left);
    throw new ExecError(failure.text);
  });
}

/** Makes the target the primary, with a claim on what the source may still run. */
async function takeToTarget(
  world: World,
  { instance, source, target }: Journey,
  isStopped: boolean,
): Promise<{ readonly moved: RealInstance; readonly left: readonly Claim[] }> {
  const { snapshot, value: left } = await world.config.change((now) => {
    const value = isStopped ? [] : [claimOfRunning(contextAt(world, now), source, instance)];
    const changes = [...placing(now, instance, target), ...value.map(putting)];
    return { changes, value };
  }, world);
  return { moved: snapshot.instance(instance.uuid) as RealInstance, left };
}

const placing = (
  now: Snapshot,
  { uuid }: RealInstance,
  node: NodeUuid,
): readonly ConfigChange[] => {
  const before = now.instance(uuid);
  if (before === undefined || before.forthcoming) return [];
  return [put("instance", { ...before, primary_node: node })];
};

/** The source may still run the instance, so the configuration names the source again. */
async function putBack(
  world: World,
  { instance, source }: Journey,
  left: readonly Claim[],
): Promise<void> {
  const node = nodeName(world.config.snapshot, source);
  await applied(world, (now) => {
    const changes = [...placing(now, instance, source), ...dropping(now, left)];
    return changes;
  });
  warn(
    world,
    `Instance ${instance.name} was not started and may still run on node ${node}, which remains its primary:` +
      ` switch that node off, then fail over again`,
  );
}

async function checkDisks(
  context: UnitContext,
  { instance, source, target }: Journey,
  { ignoreConsistency }: FailoverOptions,
): Promise<void> {
  const { now } = context;
  if (!instance.disks_active) {
    context.log("* not checking disk consistency as instance is not running");
    return;
  }
  context.log("* checking disk consistency between source and target");
  for (const [at, disk] of realDisksOf(now, instance).entries()) {
    if (await isDiskConsistent(context, instance, disk, { node: target, isPrimary: false }))
      continue;
    if (now.node(source)?.offline) {
      context.log(
        `Node ${nodeName(now, source)} is offline, ignoring degraded disk ${at} on target node` +
          ` ${nodeName(now, target)}`,
      );
    } else if (!ignoreConsistency) {
      throw new ExecError(`Disk ${at} is degraded on target node, aborting failover`);
    }
  }
}

/**
 * Whether the source has stopped the instance; a source that is offline or ignored may not have.
 * @throws ExecError
 */
async function stopAtSource(
  context: UnitContext,
  journey: Journey,
  { shutdownTimeoutSeconds, ignoreConsistency }: FailoverOptions,
): Promise<boolean> {
  const { now } = context;
  const { instance, source } = journey;
  context.log("* shutting down instance on source node");
  const answer = await ask(context, source, "instance_shutdown", {
    instance: travellerOnNode(context, journey),
    timeoutSeconds: shutdownTimeoutSeconds,
    reason: context.reason,
  });
  if (!answer.ok) {
    const node = nodeName(now, source);
    const text = `Could not shutdown instance ${instance.name} on node ${node}`;
    if (!ignoreConsistency && !now.node(source)?.offline) {
      throw new ExecError(`${text}: ${answer.message}`);
    }
    const advice = `please make sure node ${node} is down`;
    warn(context, `${text}, proceeding anyway; ${advice}; error details: ${answer.message}`);
  }
  if (isOnSharedStorage(now, instance))
    await closeDisks(context, journey, source, ignoreConsistency);
  context.log("* deactivating the instance's disks on source node");
  if (!(await shutdownDisks(context, instance, { ignorePrimary: true }))) {
    throw new ExecError("Can't shut down the instance's disks");
  }
  return answer.ok;
}

/** Gives the failure, and whether the target was told to start the instance; undefined if it runs. */
async function startAtTarget(
  world: World,
  moved: RealInstance,
  beparams: Readonly<Record<string, Json>>,
): Promise<{ readonly text: string; readonly isTried: boolean } | undefined> {
  const node = nodeName(world.config.snapshot, moved.primary_node);
  world.log(`* activating the instance's disks on target node ${node}`);
  const { ok } = await assembleDisks(world, moved, { ignoreSecondaries: true });
  if (!ok) return { text: "Can't activate the instance's disks", isTried: false };
  world.log(`* starting the instance on the target node ${node}`);
  const answer = await startOnNode(world, moved.primary_node, {
    instance: instanceOnNode(world.config.snapshot, moved, { beparams }),
  });
  if (answer.ok) return undefined;
  const text = `Could not start instance ${moved.name} on node ${node}: ${answer.message}`;
  return { text, isTried: true };
}

/**
 * A reservation moves only in the configuration, if the target has room for it. @throws PrereqError
 */
export async function failoverReservation(
  world: World,
  reserved: ForthcomingInstance,
  target: NodeUuid,
): Promise<void> {
  world.log(`Failover instance ${shownName(reserved)}`);
  world.log("Instance is forthcoming, just updating the  configuration");
  await take(world, {
    demands: reservationDemands(world.config.snapshot, reserved, target),
    decide: (now) => {
      const object = now.instance(reserved.uuid);
      if (object === undefined) return { changes: [], value: undefined };
      const moved = { ...object, primary_node: target };
      return { changes: [put("instance", moved)], value: undefined };
    },
  });
}

/** Resources the reservation needs on its new primary in addition to those it already has there. */
export function reservationDemands(
  now: Snapshot,
  reserved: ForthcomingInstance,
  target: NodeUuid,
): readonly Demand[] {
  const { maxmem: mib, vcpus } = filledBeparams(now, reserved);
  const hypervisor = reserved.hypervisor ?? now.cluster.enabled_hypervisors[0] ?? "kvm";
  const purpose = `migrating instance ${shownName(reserved)}`;
  const limited = { vcpus, spindleUse: 0, purpose, reserves: true };
  return [{ node: target, memory: { mib, hypervisor, purpose }, limited }];
}
