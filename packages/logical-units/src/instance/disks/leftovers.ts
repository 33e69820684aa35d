/**
 * What is left over on a node of instances that went away while it could not be told: they may run on there, and their
 * mirrors be up, on minors that other disks were given.
 *
 * A mirror is left over if it lies on volumes that no disk has on this node: none of an instance, of a reservation, or
 * of what a job under way holds, all of which are in the configuration before anything is made of them. As it is asked
 * for after the node has told what is up, and the node looks again before it acts, nothing living is brought down; that
 * takes no locks. Volumes that are claimed for their removal do not count as any disk's: recovery removes them once
 * nothing uses them.
 */

import type { Snapshot } from "@ganeti-ts/config";
import { hypervisorOnNode } from "@ganeti-ts/config";
import type { DiskOnNode, InstanceOnNode, UpMirror } from "@ganeti-ts/node-calls";
import type { NodeUuid } from "@ganeti-ts/protocol";
import { condemnedVolumes } from "../../capacity/claim.js";
import { ask } from "../../unit/calls.js";
import { warn } from "../../unit/feedback.js";
import type { World } from "../../unit/unit.js";
import { nodeName } from "../state.js";

/**
 * Brings down what is left over on the minor of a mirror that could not be made. Gives whether it was there and is
 * gone, so that another try makes sense.
 */
export async function leftoverMirrorGone(
  world: World,
  disk: DiskOnNode,
  node: NodeUuid,
): Promise<boolean> {
  if (disk.dev_type !== "drbd") return false;
  const [nodeA, , , minorA, minorB] = disk.logical_id;
  const minor = node === nodeA ? minorA : minorB;
  const found = (await leftoverMirrors(world, node)).find((one) => one.minor === minor);
  return found !== undefined && (await broughtDown(world, node, found));
}

/**
 * For a node that comes back: stops what runs there and should not, then brings down the mirrors that are left over.
 * Needs the node's lock for itself: an instance that is moving runs where the configuration does not have it yet.
 * What does not work is a warning.
 */
export async function clearNode(world: World, node: NodeUuid): Promise<void> {
  const mirrors = await leftoverMirrors(world, node);
  await stopStrangers(world, node, new Set(mirrors.map(({ openBy }) => openBy)));
  for (const one of mirrors) await broughtDown(world, node, one);
}

async function leftoverMirrors(world: World, node: NodeUuid): Promise<readonly UpMirror[]> {
  const listed = await ask(world, node, "drbd_list", {});
  if (!listed.ok) return [];
  const now = await world.config.refresh();
  const condemned = condemnedVolumes(now, node);
  const isKnown = (volume: string) => now.isVolumeOfDisk(node, volume) && !condemned.has(volume);
  return listed.value.filter(({ storage }) => storage.length > 0 && !storage.some(isKnown));
}

async function broughtDown(
  world: World,
  node: NodeUuid,
  { minor, storage }: UpMirror,
): Promise<boolean> {
  const what = `drbd minor ${minor} on node ${nodeName(world.config.snapshot, node)}`;
  warn(world, `Shutting down ${what}: no disk has ${storage.join(", ")}`);
  const answer = await ask(world, node, "drbd_down", { minor, storage });
  if (!answer.ok) warn(world, `Could not shutdown ${what}: ${answer.message}`);
  return answer.ok;
}

/**
 * Instances that run here and not where the configuration has them: that run there as well, or that have gone and use
 * what they left over. One whose migration was cut short may run here alone; then it is the one. One that nobody knows
 * and that uses nothing of the cluster may be somebody's own machine.
 */
async function stopStrangers(
  world: World,
  node: NodeUuid,
  gone: ReadonlySet<string | null>,
): Promise<void> {
  const { snapshot } = world.config;
  const hypervisors = snapshot.cluster.enabled_hypervisors.map((name) =>
    hypervisorOnNode(snapshot, name),
  );
  const listed = await ask(world, node, "all_instances_info", { hypervisors });
  if (!listed.ok) {
    warn(world, `Could not look for instances that are left over: ${listed.message}`);
    return;
  }
  const now = await world.config.refresh();
  for (const [name, { hypervisor }] of Object.entries(listed.value)) {
    const { hvparams } = hypervisorOnNode(now, hypervisor);
    if (now.findInstance(name) === undefined && !gone.has(name)) {
      warn(world, `Instance ${name} runs on node ${nodeName(now, node)} and is not known`);
      continue;
    }
    if (!(await isStranger(world, now, { name, hypervisor, hvparams }, node))) continue;
    warn(world, `Stopping instance ${name}, which should not run on node ${nodeName(now, node)}`);
    const instance: InstanceOnNode = {
      ...{ uuid: "", name, hypervisor, hvparams },
      ...{ beparams: {}, osparams: {}, nics: [], disks: [] },
    };
    const stopped = await ask(world, node, "instance_shutdown", { instance, timeoutSeconds: 0 });
    if (!stopped.ok) warn(world, `Could not stop instance ${name}: ${stopped.message}`);
  }
}

async function isStranger(
  world: World,
  now: Snapshot,
  { name, hypervisor, hvparams }: Pick<InstanceOnNode, "name" | "hypervisor" | "hvparams">,
  node: NodeUuid,
): Promise<boolean> {
  const known = now.findInstance(name);
  if (known === undefined) return true;
  if (known.primary_node === undefined || known.primary_node === node) return false;
  const where = { name, hypervisor: { name: hypervisor, hvparams } };
  const there = await ask(world, known.primary_node, "instance_info", where);
  if (there.ok && there.value !== null) return true;
  const text = `Instance ${name} runs on node ${nodeName(now, node)} and not on its primary`;
  warn(world, text, `Please run 'gnt-instance migrate --cleanup ${name}'`);
  return false;
}
