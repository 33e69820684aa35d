/**
 * Leftovers on a node of instances that were removed while it was unreachable: they may still run
 * there, and their mirrors may be active on minors since given to other disks.
 *
 * A mirror is left over if no disk of the configuration has its minor on this node. All disks of
 * instances, reservations and running jobs are in the configuration before their devices are made,
 * and the node is asked before the configuration is read, so no living mirror is brought down; that
 * takes no locks. Mirrors that are claimed for removal count as left over; recovery removes their
 * volumes once nothing uses them.
 */

import { hypervisorOnNode, type Snapshot } from "@ganeti-ts/config";
import { type DiskOnNode, diskLinkDirectory, type HypervisorOnNode } from "@ganeti-ts/node-calls";
import type { DiskUuid, NodeUuid } from "@ganeti-ts/protocol";
import { ask, warn } from "../../unit/effects.js";
import { contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { strangerOnNode } from "../running/left-running.js";
import { nodeName } from "../state.js";

/**
 * Brings down a leftover mirror on the minor of a disk that could not be made. Returns whether
 * there was one and it is gone, so that another attempt makes sense.
 *
 * Only the job's own disk has this minor, so another mirror on it is left over. The exception is a
 * living mirror activated under a wrong minor; then some other active disk is missing under its
 * own, and nothing is done.
 */
export async function leftoverMirrorGone(
  world: World,
  disk: DiskOnNode,
  node: NodeUuid,
): Promise<boolean> {
  if (disk.dev_type !== "drbd") return false;
  const [nodeA, , , minorA, minorB] = disk.logical_id;
  const minor = Number(node === nodeA ? minorA : minorB);
  const up = await minorsUp(world, node);
  if (!up.has(minor)) return false;
  const now = await world.config.refresh();
  const isMissing = now.minorsOf(node).some(([of, uuid]) => {
    const instance = now.instanceOfDisk(uuid as DiskUuid);
    return (
      uuid !== disk.uuid && instance?.disks_active === true && !instance.forthcoming && !up.has(of)
    );
  });
  return !isMissing && (await broughtDown(world, node, minor));
}

/**
 * Cleans a node that comes back online: stops instances that should not run there, then brings down
 * leftover mirrors. Needs the node's lock exclusively, because an instance in migration runs where
 * the configuration does not have it yet. Failures are logged as warnings.
 */
export async function clearNode(world: World, node: NodeUuid): Promise<void> {
  const up = await minorsUp(world, node);
  const now = await world.config.refresh();
  const known = new Set(minorsInUse(now, node));
  const minors = [...up].filter((minor) => !known.has(minor));
  await stopStrangers(world, node, minors.length > 0);
  for (const minor of minors) await broughtDown(world, node, minor);
}

/** Minors of disks on the node, except those claimed only for removal. */
const minorsInUse = (now: Snapshot, node: NodeUuid): readonly number[] =>
  now
    .minorsOf(node)
    .flatMap(([minor, owner]) => (now.get("claim", owner)?.kind === "removal" ? [] : [minor]));

/** Empty where the node does not answer. */
async function minorsUp(world: World, node: NodeUuid): Promise<ReadonlySet<number>> {
  const { cluster_name: clusterName } = world.config.snapshot.cluster;
  const answer = await ask(world, node, "node_verify", { clusterName, drbdList: true });
  const minors = answer.ok ? answer.value.drbdMinors : undefined;
  return new Set(minors === undefined || "fault" in minors ? [] : minors);
}

/** The mirror on a minor, whichever disk it belongs to: a disk without a secret. */
function mirrorOn(now: Snapshot, node: NodeUuid, minor: number): DiskOnNode {
  const peer = [...now.nodes()].find(({ uuid }) => uuid !== node)?.uuid ?? node;
  return {
    uuid: "",
    dev_type: "drbd",
    size: 0,
    children: [],
    logical_id: [node, peer, 0, minor, minor, null],
  };
}

async function broughtDown(world: World, node: NodeUuid, minor: number): Promise<boolean> {
  const { snapshot } = world.config;
  const what = `drbd minor ${minor} on node ${nodeName(snapshot, node)}`;
  warn(world, `Shutting down ${what}, a leftover of another disk`);
  const answer = await ask(world, node, "blockdev_shutdown", {
    disk: mirrorOn(snapshot, node, minor),
  });
  if (!answer.ok) warn(world, `Could not shutdown ${what}: ${answer.message}`);
  return answer.ok;
}

/**
 * Stops instances that run here and not where the configuration has them: those that also run
 * there, and removed ones that hold leftover mirrors. An instance whose migration was cut short may
 * run here alone; then this is the right place. An unknown instance without disks of the cluster
 * may be unrelated to it.
 */
async function stopStrangers(world: World, node: NodeUuid, hasLeftovers: boolean): Promise<void> {
  for (const name of world.config.snapshot.cluster.enabled_hypervisors) {
    const hypervisor = hypervisorOnNode(world.config.snapshot, name);
    const listed = await ask(world, node, "instance_list", { hypervisors: [hypervisor] });
    if (!listed.ok) {
      warn(world, `Could not look for leftover instances: ${listed.message}`);
      return;
    }
    const now = await world.config.refresh();
    for (const running of listed.value) {
      const isKnown = now.findInstance(running) !== undefined;
      if (!isKnown && !(hasLeftovers && (await hasDisks(world, node, running)))) {
        warn(
          world,
          `Instance ${running} runs on node ${nodeName(now, node)} but is unknown to the cluster`,
        );
      } else if (await isStranger(contextAt(world, now), running, hypervisor, node)) {
        await stopStranger(world, node, running, hypervisor);
      }
    }
  }
}

/**
 * Whether the node has linked disks of the cluster for the instance, as it does when it starts one.
 */
async function hasDisks(world: World, node: NodeUuid, instance: string): Promise<boolean> {
  const path = `${diskLinkDirectory}/${instance}:0`;
  const answer = await ask(world, node, "get_file_info", { path });
  return answer.ok && answer.value.exists;
}

async function stopStranger(
  world: World,
  node: NodeUuid,
  name: string,
  hypervisor: HypervisorOnNode,
): Promise<void> {
  const where = nodeName(world.config.snapshot, node);
  warn(world, `Stopping instance ${name}, which should not run on node ${where}`);
  const instance = strangerOnNode(name, hypervisor);
  const stopped = await ask(world, node, "instance_shutdown", { instance, timeoutSeconds: 0 });
  if (!stopped.ok) warn(world, `Could not stop instance ${name}: ${stopped.message}`);
}

async function isStranger(
  context: UnitContext,
  name: string,
  hypervisor: HypervisorOnNode,
  node: NodeUuid,
): Promise<boolean> {
  const known = context.now.findInstance(name);
  if (known === undefined) return true;
  if (known.primary_node === undefined || known.primary_node === node) return false;
  const there = await ask(context, known.primary_node, "instance_info", { name, hypervisor });
  if (there.ok && there.value !== null) return true;
  const text = `Instance ${name} runs on node ${nodeName(context.now, node)} and not on its primary`;
  warn(context, text, `Please run 'gnt-instance migrate --cleanup ${name}'`);
  return false;
}
