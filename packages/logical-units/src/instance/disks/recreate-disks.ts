/** OP_INSTANCE_RECREATE_DISKS: recreates lost disks, empty, on the same nodes or on others. */

import {
  diskOnNode,
  diskTemplate,
  drbdMinors,
  filledBeparams,
  groupOf,
  nodesOfInstance,
  put,
  realDisksOf,
  type Snapshot,
} from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { DiskTemplate, NodeUuid, OpcodeOf, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { isShared } from "@ganeti-ts/protocol";
import { checkUnclaimed, claimOfRecreation, putting } from "../../capacity/claim.js";
import { checkRoom, type Demand } from "../../capacity/demand.js";
import { hasVolumes, volumesOf } from "../../capacity/volumes.js";
import { abandoningOnFailure, giveUpClaims, withClaim } from "../../capacity/with-claims.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, info, valueOrFail, warn } from "../../unit/effects.js";
import { asExclusive, asShared, groupLock, instanceLock, withNodes } from "../../unit/locks.js";
import { wrongInput } from "../../unit/refusals.js";
import { areChecksAll, contextAt, type Unit, type UnitContext } from "../../unit/unit.js";
import { roundedSize } from "../parameters/parameter-types.js";
import { shutdownDisks } from "../running/activation.js";
import { checkNodeOnline } from "../running/node-checks.js";
import { checkInstanceState } from "../running/running.js";
import { namedRealInstance, nodeName, notRunning } from "../state.js";
import { createDisks, failedCreation } from "./creation.js";
import { wipeDisks } from "./disk-content.js";
import { checkDiskSpindles, isExclusive } from "./growth.js";
import { checkFilesInPlace } from "./moved-files.js";

type Op = OpcodeOf<"OP_INSTANCE_RECREATE_DISKS">;
type Changes = Op["disks"][number][1];

export const recreateDisks: Unit<"OP_INSTANCE_RECREATE_DISKS"> = {
  opcode: "OP_INSTANCE_RECREATE_DISKS",
  hooks: instanceHooks("instance-recreate-disks"),

  locks(op, now) {
    checkArguments(op);
    const instance = namedRealInstance(now, op);
    const own = asExclusive(instanceLock(instance));
    const given = givenNodes(op, now);
    if (given !== undefined) return [...own, ...withNodes(given, "exclusive")];
    const nodes = nodesOfInstance(now, instance);
    const group = groupOf(now, instance.primary_node);
    if (op.iallocator === undefined || group === undefined) {
      return [...own, ...withNodes(nodes, "exclusive")];
    }
    const members = now.nodesOfGroup(group.uuid).map(({ uuid }) => uuid);
    return [
      ...own,
      ...asShared(groupLock(group.uuid)),
      ...withNodes([...nodes, ...members], "exclusive"),
    ];
  },

  async run(op, world) {
    checkArguments(op);
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const instance = namedRealInstance(now, op);
    const given = givenNodes(op, now);
    await checkInstance(context, op, instance, given);
    const all = instance.disks.map((_, at): [number, Changes] => [at, {}]);
    const wanted = new Map(op.disks.length > 0 ? op.disks : all);
    checkIndices(op, instance, wanted, given);
    const newNodes = op.iallocator === undefined ? given : await chosenNodes(context, op, instance);
    const nodes = newNodes ?? nodesOfInstance(now, instance);
    const hasSpindles = nodes.some((node) => isExclusive(now, node));
    for (const { spindles } of wanted.values()) checkDiskSpindles(spindles, hasSpindles, false);
    const demands = newNodes === undefined ? [] : demandsOf(now, instance, wanted, newNodes);
    await checkRoom(world, demands);
    if (await areChecksAll(world, op)) return null;

    const lost = realDisksOf(now, instance).filter((_, at) => wanted.has(at));
    await checkGone(context, instance, lost, nodes);
    await withClaim(world, demands, async () => {
      if (newNodes !== undefined) {
        warn(
          world,
          "Changing the instance's nodes, you will have to remove any disks left on the older nodes" +
            " manually",
        );
      }
      // Mirrors without their volumes may be active, and on abandoned nodes no later operation
      // would bring them down.
      await shutdownDisks(world, instance);
      // If the job dies after this change, a second attempt starts from the changed disks.
      const { snapshot, value: claim } = await world.config.change((latest) => {
        checkNothingLeft(latest, instance, nodes);
        const disks = realDisksOf(latest, instance).filter((_, at) => wanted.has(at));
        const claim = claimOfRecreation(contextAt(world, latest), instance.primary_node, disks);
        const changes = changesOf(latest, instance, wanted, newNodes);
        return { changes: [...changes, putting(claim)], value: claim };
      }, world);
      const changed = snapshot.instance(instance.uuid) as RealInstance;
      const disks = realDisksOf(snapshot, changed).filter((_, at) => wanted.has(at));
      const latest = contextAt(world, snapshot);
      await abandoningOnFailure(world, [claim], async () => {
        await createDisks(latest, changed, disks);
        if (snapshot.cluster.prealloc_wipe_disks) await wipeDisks(latest, changed, disks);
      });
      await giveUpClaims(world, [claim]);
    });
    return null;
  },
};

/**
 * Existing disks are not recreated and, above all, not removed after a failed creation. Nodes would
 * accept existing volumes of the same size as new ones. @throws ExecError in the words of Ganeti's
 * nodes
 */
async function checkGone(
  context: UnitContext,
  instance: RealInstance,
  disks: readonly RealDisk[],
  nodes: readonly NodeUuid[],
): Promise<void> {
  for (const disk of disks) {
    const devices = disk.children.length > 0 ? disk.children : [disk];
    for (const node of isShared(disk.dev_type) ? nodes.slice(0, 1) : nodes) {
      for (const device of devices) {
        const found = valueOrFail(
          await ask(context, node, "blockdev_find", {
            disk: diskOnNode(context.now, instance, device),
          }),
          `Can't look for disk on node ${nodeName(context.now, node)}`,
        );
        if (found === null) continue;
        throw new ExecError(failedCreation(context.now, instance, device, node, isThere(device)));
      }
    }
  }
}

const isThere = ({ dev_type: type, logical_id: id }: RealDisk | RealDisk["children"][number]) =>
  type === "plain"
    ? `LV create failed (exited with exit code 5):   Logical Volume "${id[1]}" already exists in volume group "${id[0]}"`
    : `${id[1]}: can't create: [Errno 17] File exists: '${id[1]}'`;

/** @throws PrereqError `temp_insufficient_resources` while recovery still removes volumes of these names */
function checkNothingLeft(now: Snapshot, instance: RealInstance, nodes: readonly NodeUuid[]): void {
  checkFilesInPlace(now, realDisksOf(now, instance));
  for (const node of nodes) {
    for (const disk of realDisksOf(now, instance)) {
      checkUnclaimed(now, node, disk.children.length > 0 ? disk.children : [disk]);
    }
  }
}

const modifiable: ReadonlySet<string> = new Set(["size", "mode", "spindles"]);

/** @throws PrereqError `wrong_input` */
function checkArguments({ disks, nodes, iallocator }: Op): void {
  const indices = disks.map(([at]) => at);
  const repeated = new Set(indices.filter((at, place) => indices.indexOf(at) !== place));
  if (repeated.size > 0) {
    wrongInput(`Some disks have been specified more than once: ${[...repeated].join(", ")}`);
  }
  if (iallocator !== undefined && nodes.length > 0) {
    wrongInput("Do not specify both, iallocator and node");
  }
  for (const [at, changes] of disks) {
    const others = Object.keys(changes).filter((key) => !modifiable.has(key));
    if (others.length === 0) continue;
    const names = others.join(", ");
    wrongInput(`Parameters for disk ${at} try to change unmodifiable parameter(s): ${names}`);
  }
}

/** @throws ConfigError */
const givenNodes = (op: Op, now: Snapshot): readonly NodeUuid[] | undefined =>
  op.nodes.length === 0 ? undefined : op.nodes.map((name) => now.expectNode(name).uuid);

async function checkInstance(
  context: UnitContext,
  op: Op,
  instance: RealInstance,
  given: readonly NodeUuid[] | undefined,
): Promise<void> {
  const { now } = context;
  const count = nodesOfInstance(now, instance).length;
  if (given !== undefined && given.length !== count) {
    wrongInput(
      `Instance ${instance.name} currently has ${count} nodes, but ${given.length} replacement` +
        " nodes were specified",
    );
  }
  const { primary_node: primary } = instance;
  // The secondary must be online as well: recreating the primary's disks alone would lose their
  // data for nothing.
  const nodes = op.iallocator === undefined ? (given ?? nodesOfInstance(now, instance)) : [];
  for (const node of nodes) checkNodeOnline(now, node);
  if (instance.disks.length === 0) wrongInput(`Instance '${instance.name}' has no disks`);
  const isMoved = op.iallocator !== undefined || given !== undefined;
  if (isMoved && now.node(primary)?.offline) return;
  await checkInstanceState(context, instance, notRunning, "cannot recreate disks");
}

function checkIndices(
  op: Op,
  { disks }: RealInstance,
  wanted: ReadonlyMap<number, Changes>,
  given: readonly NodeUuid[] | undefined,
): void {
  const last = Math.max(...wanted.keys());
  if (last >= disks.length) wrongInput(`Invalid disk index '${last}'`);
  const isMoved = op.iallocator !== undefined || given !== undefined;
  if (isMoved && wanted.size !== disks.length) {
    wrongInput("Can't recreate disks partially and change the nodes at the same time");
  }
}

/** Nodes for a new instance of the same size. @throws PrereqError `insufficient_resources` */
async function chosenNodes(
  context: UnitContext,
  op: Op,
  instance: RealInstance,
): Promise<readonly NodeUuid[]> {
  const { now } = context;
  const { name, hypervisor, os, tags } = instance;
  const { maxmem, vcpus, spindle_use } = filledBeparams(now, instance);
  const { allocator, nodes } = await context.allocators.allocate(
    { now, caller: context, iallocator: op.iallocator },
    {
      name,
      hypervisor,
      os,
      tags,
      nics: [{}],
      memoryMib: maxmem,
      vcpus,
      spindleUse: spindle_use,
      diskTemplate: diskTemplate(now, instance) as DiskTemplate,
      disks: realDisksOf(now, instance).map(({ size, mode, spindles }) => {
        return { sizeMib: size, mode: mode ?? "rw", spindles };
      }),
    },
  );
  const chosen = nodes.join(", ");
  info(context, `Selected nodes for instance ${name} via iallocator ${allocator}: ${chosen}`);
  return nodes.map((node) => now.expectNode(node).uuid);
}

/** Storage that the disks take of nodes that did not have them. */
function demandsOf(
  now: Snapshot,
  instance: RealInstance,
  wanted: ReadonlyMap<number, Changes>,
  nodes: readonly NodeUuid[],
): readonly Demand[] {
  const disks = realDisksOf(now, instance).map((disk, at) => changed(disk, wanted.get(at)));
  const had = new Set(nodesOfInstance(now, instance));
  const { spindle_use: spindleUse } = filledBeparams(now, instance);
  const volumes = volumesOf(disks);
  const limited = {
    vcpus: 0,
    spindleUse: hasVolumes(volumes) ? spindleUse : 0,
    purpose: `recreating disks of instance ${instance.name}`,
  };
  return nodes.flatMap((node) => (had.has(node) ? [] : [{ node, volumes, limited }]));
}

function changed(disk: RealDisk, { size: given, mode, spindles }: Changes = {}): RealDisk {
  const size = given === undefined ? undefined : roundedSize(given);
  const [data, ...rest] = disk.children;
  const children =
    size !== undefined && disk.dev_type === "drbd" && data !== undefined
      ? [{ ...data, size }, ...rest]
      : disk.children;
  return {
    ...disk,
    children,
    size: size ?? disk.size,
    ...(mode === undefined ? {} : { mode: mode as "rw" | "ro" }),
    ...(spindles === undefined ? {} : { spindles }),
  };
}

/** The new disks; on other nodes with minors there, and the first of them as primary. */
function changesOf(
  now: Snapshot,
  { uuid }: RealInstance,
  wanted: ReadonlyMap<number, Changes>,
  nodes: readonly NodeUuid[] | undefined,
) {
  const instance = now.instance(uuid);
  const primary = nodes?.[0];
  if (instance === undefined || instance.forthcoming) return [];
  const before = realDisksOf(now, instance);
  const minors =
    nodes?.length === 2
      ? drbdMinors(
          now,
          before.flatMap(() => nodes),
        )
      : [];
  const disks = before.map((disk, at) => {
    const next = changed(disk, wanted.get(at));
    const pair = [minors[at * 2] ?? null, minors[at * 2 + 1] ?? null];
    return nodes === undefined ? next : onNodes(next, nodes, pair);
  });
  return [
    ...disks.map((object) => put("disk", object)),
    ...(primary === undefined ? [] : [put("instance", { ...instance, primary_node: primary })]),
  ];
}

function onNodes(
  disk: RealDisk,
  nodes: readonly NodeUuid[],
  minors: readonly (number | null)[],
): RealDisk {
  if (isShared(disk.dev_type)) return disk;
  const children = disk.children.map((child) => ({ ...child, nodes }));
  if (disk.dev_type !== "drbd") return { ...disk, nodes, children };
  const [, , port = null, , , secret = null] = disk.logical_id;
  return { ...disk, nodes, children, logical_id: [...nodes, port, ...minors, secret] };
}
