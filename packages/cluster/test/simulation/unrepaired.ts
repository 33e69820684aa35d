// Leftovers of faults that the watcher should have repaired: instances that are down, and disks that are not whole.
import { devicesOfClaim, filledBeparams, nodesOfInstance, type Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, Job, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import type { DrbdSide } from "@ganeti-ts/simulated-nodes";
import { memoryLeft, missingDevices } from "@ganeti-ts/simulated-nodes/at-rest";
import { attemptsMax } from "../../src/watcher/judgement.js";
import { noNotes, readNotes } from "../../src/watcher/notes.js";
import { namesCutInMigration, namesWithoutData } from "./destruction.js";
import type { World } from "./simulate.js";

/** Descriptions of unrepaired instances and disks; all nodes must be available. */
export async function unrepaired(world: World): Promise<readonly string[]> {
  const { snapshot: now, nodes, jobs } = world;
  const all = [...jobs.rows.values()].map(({ job }) => job);
  const damaged = namesWithoutData(all, world.damagedNames);
  const excused = new Set([...(await givenUp(world)), ...movedByCutMigrations(world, all)]);
  const awaiting = withOldCopies(now);
  const faults: string[] = [];
  for (const instance of now.instances()) {
    if (instance.forthcoming || damaged.has(instance.name) || isSplit(world, instance)) continue;
    const { name } = instance;
    if (!excused.has(name) && isDown(world, instance)) faults.push(`${name} is down`);
    for (const [at, disk] of (now.disksOf(instance) as RealDisk[]).entries()) {
      if (awaiting.has(disk.uuid)) continue;
      const isMirror = instance.disks_active && disk.dev_type === "drbd";
      const mirror = isMirror ? mirrorFault(world, disk) : undefined;
      for (const fault of [...missingDevices(now, nodes, instance, disk), mirror]) {
        if (fault !== undefined) faults.push(`disk ${at} of ${name}: ${fault}`);
      }
    }
  }
  return faults;
}

/** Names of instances that run on the target of a migration that was cut: an administrator has to clean up the migration. */
const movedByCutMigrations = (world: World, jobs: readonly Job[]): readonly string[] =>
  [...namesCutInMigration(jobs)].filter((name) =>
    world.uuids().some((node) => world.nodes.stateOf(node)?.instances[name] !== undefined),
  );

/** Whether it should run, does not, and could: the memory of an instance that is down is not reserved, so others may have it. */
function isDown({ snapshot: now, nodes }: World, instance: RealInstance): boolean {
  const { name, primary_node: node, admin_state } = instance;
  const host = nodes.stateOf(node);
  if (admin_state !== "up" || host === undefined || host.instances[name] !== undefined)
    return false;
  return memoryLeft(now, node, host) >= filledBeparams(now, instance).minmem;
}

/** Names of instances that the watcher has given up. */
async function givenUp({ snapshot, notes }: World): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { uuid } of snapshot.groups()) {
    const { instance } = readNotes(await notes.load(uuid)) ?? noNotes;
    for (const [name, { restart_count = 0 }] of Object.entries(instance)) {
      if (restart_count > attemptsMax) names.add(name);
    }
  }
  return names;
}

/** Mirrors whose copy on one side was being replaced, which an administrator has to complete, as verification reports. */
const withOldCopies = (now: Snapshot): ReadonlySet<unknown> =>
  new Set([...now.claims()].flatMap(devicesOfClaim).map(({ copyOf }) => copyOf));

/** Instances with nodes in several groups are not watched. */
const isSplit = ({ snapshot: now }: World, instance: InstanceObject): boolean =>
  new Set(nodesOfInstance(now, instance).map((node) => now.node(node)?.group)).size > 1;

function mirrorFault(
  { nodes, snapshot }: World,
  { logical_id: id, nodes: placed }: RealDisk,
): string | undefined {
  const [nodeA, , , minorA, minorB, secret] = id;
  for (const node of placed) {
    const side: DrbdSide | undefined =
      nodes.stateOf(node)?.drbd[String(node === nodeA ? minorA : minorB)];
    const where = snapshot.node(node)?.name;
    if (side === undefined || side.secret !== secret) return `no mirror on ${where}`;
    if (!side.up) return `the mirror on ${where} is down`;
    if (!side.connects) return `the mirror on ${where} stands alone`;
    // The progress of a running synchronisation is updated only when the mirror is queried.
    if (side.data !== "uptodate" && side.syncingSince === null)
      return `the data on ${where} are ${side.data}`;
  }
  return undefined;
}
