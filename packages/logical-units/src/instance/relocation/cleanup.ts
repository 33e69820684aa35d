/**
 * Cleanup after an unfinished migration: finds the node the instance runs on and adjusts the
 * configuration and the disks.
 */

import { hypervisorOnNode } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { NodeUuid } from "@ganeti-ts/protocol";
import { ask, valueOrFail, warn } from "../../unit/effects.js";
import type { World } from "../../unit/unit.js";
import { changeInstance, nodeName } from "../state.js";
import {
  awaitMirrors,
  closeDisks,
  connectMirrors,
  disconnectMirrors,
  type Journey,
  openDisks,
  travellerOnNode,
} from "./journey.js";
import { abortMigration, finalize, finalizeSource, isTransferred } from "./migration.js";
import { hasMirrors } from "./target.js";

/** @throws ExecError if it runs nowhere, or still on two nodes */
export async function cleanUpMigration(world: World, journey: Journey): Promise<void> {
  const { instance, source } = journey;
  const nameOf = (node: string) => nodeName(world.config.snapshot, node);
  let places = await placesOf(world, journey);
  const isTorn = () => places.includes(source) && places.includes(journey.target);
  if (isTorn()) {
    world.log("Trying to cleanup after failed migration");
    await endOneSide(world, journey);
    places = await placesOf(world, journey);
  }
  if (isTorn()) {
    throw new ExecError(
      "Instance seems to be running on two nodes, or the hypervisor is confused; you will have to" +
        " ensure manually that it runs only on one and restart this operation",
    );
  }
  let { target } = journey;
  if (!places.includes(source) && !places.includes(target)) {
    const [only, ...others] = places;
    if (only === undefined || others.length > 0) {
      throw new ExecError(
        "Instance does not seem to be running at all; in this case it's safer to repair by running" +
          " 'gnt-instance stop' to ensure disk shutdown, and then restarting it",
      );
    }
    target = only;
    world.log(
      `* instance running on unexpected node (${nameOf(target)}), updating as the new secondary`,
    );
  }
  const isAtTarget = places.includes(target);
  if (isAtTarget) {
    world.log(`* instance running on secondary node (${nameOf(target)}), updating config`);
    await changeInstance(world, instance.uuid, (before) => ({ ...before, primary_node: target }));
  } else {
    world.log(`* instance confirmed to be running on its primary node (${nameOf(source)})`);
    if (world.config.snapshot.node(target)?.offline) return cleanUpWithoutTarget(world, journey);
  }
  await settle(world, { ...journey, target }, isAtTarget);
  world.log("* done");
}

/** Nodes on which it runs, under any of the names used during migration. @throws ExecError */
async function placesOf(world: World, { instance }: Journey): Promise<readonly NodeUuid[]> {
  world.log(
    "* checking where the instance actually runs (if this hangs, the hypervisor might be in a bad" +
      " state)",
  );
  const now = world.config.snapshot;
  const { name } = instance;
  // Xen uses other names at the source and at the target during a migration.
  const names = [name, `migrating-${name}`, `${name}--incoming`, `${name}--migratedaway`];
  const hypervisors = [hypervisorOnNode(now, instance.hypervisor)];
  const online = [...now.nodes()].filter(({ offline }) => !offline);
  const lists = await Promise.all(
    online.map(({ uuid }) => ask(world, uuid, "instance_list", { hypervisors })),
  );
  const places = online.filter((node, at) => {
    const answer = lists[at];
    if (answer === undefined) return false;
    const running = valueOrFail(answer, `Can't contact node ${node.name}`);
    return names.some((one) => running.includes(one));
  });
  world.log(`* instance running on: ${places.map((node) => node.name).join(",")}`);
  return places.map(({ uuid }) => uuid);
}

/** Continues the instance where its memory is complete: at the target after the whole transfer, else at the source. */
async function endOneSide(world: World, journey: Journey): Promise<void> {
  const [here, there] = [journey.source, journey.target].map((node) =>
    nodeName(world.config.snapshot, node),
  );
  const info = valueOrFail(
    await ask(world, journey.source, "migration_info", {
      instance: travellerOnNode(world, journey),
    }),
    `Failed fetching source migration information from ${here}`,
  );
  if (await isTransferred(world, journey)) {
    world.log(`* memory transfer was complete, the instance continues on ${there}`);
    await finalize(world, journey, info, false);
    return;
  }
  const faults = await abortMigration(world, journey, info, false);
  if (faults.length > 0) {
    throw new ExecError(`Instance migration cleanup failed: ${faults.join(",")}`);
  }
}

/**
 * The administrator has said that nothing runs on the target any more: an instance whose memory has been transferred there,
 * and which its source has stopped, continues at the source. Mirrors stay as they are until the target is back.
 * @throws ExecError
 */
async function cleanUpWithoutTarget(world: World, journey: Journey): Promise<void> {
  const now = world.config.snapshot;
  const { instance, source, target } = journey;
  const [here, there] = [nodeName(now, source), nodeName(now, target)];
  if (await isTransferred(world, journey)) {
    world.log(
      `* memory transfer was complete, but ${there} is offline: the instance continues on ${here}`,
    );
    valueOrFail(
      await finalizeSource(world, journey, false, false),
      `Cannot continue the instance on node ${here}`,
    );
  }
  if (hasMirrors(now, instance)) {
    warn(
      world,
      `Disks keep their settings until ${there} is back: then use 'gnt-instance migrate --cleanup ${instance.name}'`,
    );
  } else {
    await openDisks(world, journey, source, true);
  }
  world.log("* done");
}

/**
 * Opens the disks where the instance runs, closes them on the other node, and leaves mirrors with
 * one primary.
 */
async function settle(world: World, journey: Journey, isAtTarget: boolean): Promise<void> {
  const { instance, source, target } = journey;
  await closeDisks(world, journey, isAtTarget ? source : target);
  if (!hasMirrors(world.config.snapshot, instance)) {
    await openDisks(world, journey, isAtTarget ? target : source, true);
    return;
  }
  try {
    await awaitMirrors(world, journey);
  } catch (error) {
    // A disconnected mirror cannot synchronise; it is connected again below.
    if (!(error instanceof ExecError)) throw error;
  }
  await disconnectMirrors(world, journey);
  await connectMirrors(world, journey, false);
  await awaitMirrors(world, journey);
}
