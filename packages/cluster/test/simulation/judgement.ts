// The end of a run: an administrator brings nodes back, the watcher repairs without help, and then everything is checked.
import { nodesOfInstance } from "@ganeti-ts/config";
import type { Json, NodeUuid } from "@ganeti-ts/protocol";
import { setEntry, setVolume } from "@ganeti-ts/simulated-nodes";
import {
  commandsOfVerification,
  faultsAtRest,
  lostData,
  lostSystems,
  opcodeOf,
  straysRunning,
  usersOfHeld,
} from "@ganeti-ts/simulated-nodes/at-rest";
import type { Cluster } from "../../src/index.js";
import { copyFaults } from "./copies.js";
import { namesCutInMigration, namesWithoutData } from "./destruction.js";
import type { Invariant } from "./sabotage.js";
import { isAllowed, minute, type World } from "./simulate.js";
import { unrepaired } from "./unrepaired.js";
import { commit } from "./workload.js";

/** Checks everything after the faults have ended; stops at the first violation. */
export async function judge(world: World, server: Cluster): Promise<void> {
  for (const id of world.acknowledged) {
    if (!world.jobs.rows.has(id)) world.broken("acknowledged is kept", `job ${id}`);
  }
  await bringNodesBack(world, server);
  await watch(world, server);
  if (world.violation !== undefined) return;
  await completeCopies(world, server);
  await restartUsers(world, server);
  world.reservations.checkAll(world.snapshot);
  if (world.sabotage.thief === "before") await takeAllSpace(world);
  if (world.sabotage.losesData) loseVolumes(world);
  if (world.sabotage.runsStray) runStray(world);
  for (const [invariant, faults] of checks(world, server)) {
    if (faults.length > 0) return world.broken(invariant, faults.join("; "));
  }
  if (world.sabotage.thief === "after") await takeAllSpace(world);
  await commitAll(world, server);
}

function* checks(world: World, server: Cluster): Iterable<[Invariant, readonly string[]]> {
  const { snapshot: now, nodes, dumped } = world;
  const jobs = [...world.jobs.rows.values()].map(({ job }) => job);
  const except = namesWithoutData(jobs, world.damagedNames, { orEmpty: true });
  yield [
    "data are kept",
    [
      ...lostData(now, nodes, namesWithoutData(jobs, world.damagedNames)),
      ...lostSystems(now, nodes, { except, system: dumped.of }),
      ...dumped.lostExports(nodes, world.uuids(), except),
    ],
  ];
  yield ["instances run in one place", straysRunning(now, nodes, namesCutInMigration(jobs))];
  const faults = faultsAtRest(now, nodes).filter((fault) => !isAllowed(fault));
  yield ["addresses have owners", faults.filter((fault) => fault.startsWith("network "))];
  yield [
    "nothing is promised twice",
    faults.some((fault) => fault.includes("too much reserved")) ? faults : [],
  ];
  yield ["all is in order at rest", faults];
  yield ["copies follow", copyFaults(world, server)];
}

/** Leftovers of dead jobs on offline nodes are removed after these come back. */
async function bringNodesBack(world: World, server: Cluster): Promise<void> {
  for (const { name, offline, drained } of [...world.snapshot.nodes()]) {
    const node = { OP_ID: "OP_NODE_SET_PARAMS", node_name: name };
    if (offline) await world.runJob(server, { ...node, offline: false });
    if (drained) await world.runJob(server, { ...node, drained: false });
  }
}

/** In half of the runs a node with instances reboots once more; the watcher repairs without help. */
async function watch(world: World, server: Cluster): Promise<void> {
  const { dice, nodes, counts, snapshot, sabotage } = world;
  const used = [...snapshot.nodes()].filter(
    ({ uuid }) => Object.keys(nodes.stateOf(uuid)?.instances ?? {}).length > 0,
  );
  if (used.length > 0 && (dice.chance(0.5) || sabotage.noWatcher)) {
    const node = dice.pick(used).uuid;
    await nodes.powerOff(node);
    await world.pass(1000);
    await nodes.powerOn(node);
  }
  await world.pass(4 * world.watchMs);
  const until = world.clock.wallMicros() / 1e6 + 86_400;
  await world.wait(server.objects.pauseWatcher(until));
  for (let waited = 0; waited < 60 && world.open().length > 0; waited++) await world.pass(minute);
  counts.watched++;
  const faults = await unrepaired(world);
  if (faults.length > 0) world.broken("the watcher repairs", faults.join("; "));
}

/** Old copies of disks are removed once the commands given by verification have completed the new ones. */
async function completeCopies(world: World, server: Cluster): Promise<void> {
  await world.pass(1.5 * minute);
  const config = world.observer;
  for (let round = 0; round < 4 && world.snapshot.count("claim") > 0; round++) {
    const run = async (opcode: Parameters<World["runJob"]>[1]) => ({
      log: await world.runJob(server, opcode),
    });
    for (const command of await commandsOfVerification({ run, config })) {
      world.counts.completed++;
      await world.runJob(server, opcodeOf(command));
    }
    await world.pass(1.5 * minute);
  }
}

/** Restarts instances, so that devices whose removal was postponed while they were in use are removed. */
async function restartUsers(world: World, server: Cluster): Promise<void> {
  const cut = namesCutInMigration([...world.jobs.rows.values()].map(({ job }) => job));
  for (const instance_name of usersOfHeld(world.snapshot, world.nodes)) {
    world.counts.restarted++;
    if (cut.has(instance_name)) await stopElsewhere(world, instance_name);
    const reboot = { OP_ID: "OP_INSTANCE_REBOOT", reboot_type: "full", shutdown_timeout: 0 };
    await world.runJob(server, { ...reboot, instance_name });
  }
  await world.pass(2 * minute);
}

/**
 * A guest that a migration left on its other node is stopped by hand there: the cleanup of migrations does not reach an
 * instance whose mirrors have been detached since.
 */
async function stopElsewhere({ snapshot, nodes }: World, name: string): Promise<void> {
  for (const { uuid } of snapshot.nodes()) {
    const isThere = nodes.stateOf(uuid)?.instances[name] !== undefined;
    if (isThere && snapshot.findInstance(name)?.primary_node !== uuid)
      await nodes.stopInstance(uuid, name, "crash");
  }
}

function loseVolumes(world: World): void {
  for (const node of world.uuids()) {
    const group = world.nodes.stateOf(node)?.volumeGroups.xenvg;
    for (const name of Object.keys(group?.volumes ?? {})) {
      if (group !== undefined) setVolume(group, name, undefined);
    }
  }
}

function runStray(world: World): void {
  const { instances = {} } = world.nodes.stateOf(world.uuids()[0] ?? "") ?? {};
  const size = { hypervisor: "kvm", memoryMib: 128, vcpus: 1 };
  setEntry(instances, "stray.example.com", { ...size, state: "running", startedMicros: 0 });
}

async function takeAllSpace({ nodes, ...world }: World): Promise<void> {
  for (const node of world.start.content.nodes) await nodes.fillDisk(node.uuid, "xenvg", 0);
}

/** Each reservation can become real in addition to all others. */
async function commitAll(world: World, server: Cluster): Promise<void> {
  for (const { uuid } of [...world.snapshot.instances()]) {
    const now = world.snapshot;
    const instance = now.instance(uuid);
    if (!instance?.forthcoming || instance.disks.length === 0) continue;
    if (instance.primary_node === undefined) continue;
    if (nodesOfInstance(now, instance).some((node) => isShut(world, node))) continue;
    const id = await world.wait(server.queue.submit([commit(uuid)]));
    await world.pass(2 * minute);
    const row = world.jobs.rows.get(id);
    if (row?.status === "success") world.counts.committed++;
    else world.broken("reservations hold", textOf(row?.job.opcodes[0]?.result ?? null));
  }
}

const isShut = ({ snapshot }: World, node: NodeUuid): boolean => {
  const { offline = true, drained = true } = snapshot.node(node) ?? {};
  return offline || drained;
};

/** The value as text; whole numbers beyond those of doubles become doubles. */
export const textOf = (value: Json): string =>
  JSON.stringify(value, (_, one) => (typeof one === "bigint" ? Number(one) : one));
