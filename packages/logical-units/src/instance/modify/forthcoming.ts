/**
 * Modification of a reservation: one change of the configuration, in one step with the check that
 * it fits.
 */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import {
  diskTemplate,
  filledBeparams,
  poolChanges,
  put,
  secondaryNodes,
  shareOf,
} from "@ganeti-ts/config";
import {
  type DiskTemplate,
  type ForthcomingDisk,
  type ForthcomingInstance,
  isMirrored,
  type Json,
  type NodeUuid,
} from "@ganeti-ts/protocol";
import { type Demand, take } from "../../capacity/demand.js";
import { hasVolumes, volumesOf } from "../../capacity/volumes.js";
import { info, isDryRun } from "../../unit/effects.js";
import { namedNode } from "../../unit/nodes.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import { contextAt, type UnitContext, type World } from "../../unit/unit.js";
import {
  askedDisks,
  checkPlacementNodes,
  checkPolicy,
  checkSpindles,
} from "../create/placement.js";
import {
  checkNoAdoption,
  checkOsAllowed,
  templateOf as enabledTemplate,
  hasDefaultAllocator,
} from "../create/request.js";
import { isExclusive } from "../disks/growth.js";
import { checkReservedHvparams } from "../parameters/hypervisor-syntax.js";
import type { Changed } from "../plan/changes.js";
import { forthcomingDisks, templateOf } from "../plan/forthcoming-disks.js";
import { changedNics } from "../plan/nic-changes.js";
import { placedNics } from "../plan/nics.js";
import { changedParameters, parameterChanges, type SetOp } from "./parameters.js";

interface Outcome {
  readonly changes: readonly ConfigChange[];
  readonly instance: ForthcomingInstance;
  /** The new disks, which determine the storage. */
  readonly disks: readonly ForthcomingDisk[];
  readonly result: readonly Changed[];
  readonly notes: readonly string[];
}

interface Placing {
  readonly primary: NodeUuid | undefined;
  readonly secondary: NodeUuid | undefined;
}

type Uuid = ForthcomingInstance["uuid"];

/** Returns the changes as pairs. */
export async function modifyForthcoming(
  world: World,
  { uuid }: ForthcomingInstance,
  op: SetOp,
): Promise<Json> {
  if (op.runtime_mem !== undefined) {
    wrongState("forthcoming instances not supported for this operation");
  }
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  if (op.disk_template !== undefined) enabledTemplate(now, op.disk_template);
  checkOsAllowed(op.os_name, op.osparams, now.cluster.blacklisted_os);
  const place = await placing(context, uuid, op);
  const foreseen = modified(context, uuid, op, place);
  checkPlace(context, uuid, op, place, foreseen);
  checkReservedHvparams(now, foreseen.instance);
  if (!op.ignore_ipolicy) checkOwnPolicy(now, place.primary, foreseen);
  await world.hooks.before({ planned: foreseen.instance });
  const { result, notes } = await take(world, {
    demands: growth(now, uuid, foreseen, place),
    except: [uuid],
    decide: (latest) => {
      const made = modified(contextAt(world, latest), uuid, op, place);
      return { changes: op.dry_run ? [] : made.changes, value: made };
    },
  });
  for (const note of notes) world.log(note);
  return isDryRun(world, op) ? null : result;
}

/** The present or new nodes: resources can only be requested on a node. */
async function placing(context: UnitContext, uuid: Uuid, op: SetOp): Promise<Placing> {
  const { now } = context;
  const before = reservation(now, uuid);
  const primary =
    op.pnode === undefined
      ? before.primary_node
      : namedNode(now, { node_name: op.pnode, node_uuid: op.pnode_uuid }).uuid;
  const secondary =
    op.remote_node === undefined
      ? secondaryNodes(now, before).find((node) => node !== primary)
      : namedNode(now, { node_name: op.remote_node, node_uuid: op.remote_node_uuid }).uuid;
  if (primary !== undefined && primary === secondary) {
    wrongInput("The secondary node cannot be the primary node");
  }
  checkOneGroup(now, primary, secondary);
  const { instance, disks } = modified(context, uuid, op, { primary, secondary });
  const { maxmem, minmem, vcpus } = instance.beparams ?? {};
  const asks = [maxmem, minmem, vcpus].some((value) => value !== undefined);
  if (!asks && !disks.some(({ size }) => size)) return { primary, secondary };
  const template = templateOf(now, before, op.disk_template);
  if (primary !== undefined) {
    if (!isMirrored(template) || secondary !== undefined || disks.length === 0) {
      return { primary, secondary };
    }
    wrongInput("The networked disk templates need a mirror node");
  }
  if (op.iallocator === undefined && !hasDefaultAllocator(now.cluster)) {
    return { primary, secondary };
  }
  const filled = filledBeparams(now, instance);
  const { nodes } = await context.allocators.allocate(
    { now, caller: context, iallocator: op.iallocator },
    {
      name: instance.name ?? uuid,
      diskTemplate: template,
      os: instance.os ?? "",
      memoryMib: filled.maxmem,
      vcpus: filled.vcpus,
      spindleUse: filled.spindle_use,
      disks: askedDisks(now, template, disks).map((sizeMib, at) => {
        const { mode = "rw", spindles } = disks[at] ?? {};
        return { sizeMib, mode, spindles };
      }),
      nics: [],
      tags: instance.tags,
      hypervisor: instance.hypervisor ?? now.cluster.enabled_hypervisors[0] ?? "",
    },
  );
  info(context, `Selected nodes for the instance: ${nodes.join(", ")}`);
  const [first, second] = nodes.map((name) => now.expectNode(name).uuid);
  return { primary: first, secondary: second };
}

/** Both nodes of a mirror must belong to one group. @throws PrereqError */
function checkOneGroup(
  now: Snapshot,
  primary: NodeUuid | undefined,
  secondary: NodeUuid | undefined,
): void {
  if (primary === undefined || secondary === undefined) return;
  const [one, other] = [primary, secondary].map((uuid) => now.node(uuid));
  if (one?.group === other?.group) return;
  wrongInput(
    `Primary node ${one?.name} and secondary node ${other?.name} are in different node groups`,
  );
}

/**
 * Checks that new nodes, or the nodes of new disks, can take the reservation. @throws PrereqError
 */
function checkPlace(
  context: UnitContext,
  uuid: Uuid,
  op: SetOp,
  { primary, secondary }: Placing,
  { disks }: Outcome,
): void {
  const { now } = context;
  const before = reservation(now, uuid);
  const template = templateOf(now, before, op.disk_template);
  if (disks.length > 0) checkNoAdoption(template);
  if (primary === undefined) return;
  const other = isMirrored(template) ? secondary : undefined;
  const isElsewhere =
    primary !== before.primary_node ||
    (other !== undefined && !secondaryNodes(now, before).includes(other));
  if (isElsewhere) {
    checkPlacementNodes(context, { primary, secondary: other }, template, disks);
  } else if (op.disks.length > 0 || op.disk_template !== undefined) {
    checkSpindles(now, [primary, other ?? []].flat(), template, disks);
  }
}

function reservation(now: Snapshot, uuid: Uuid): ForthcomingInstance {
  const found = now.instance(uuid);
  if (found?.forthcoming) return found;
  wrongState(`Instance ${uuid} is no longer forthcoming`);
}

/** The modified reservation, from the current configuration. */
function modified(context: UnitContext, uuid: Uuid, op: SetOp, place: Placing): Outcome {
  const { now } = context;
  const before = reservation(now, uuid);
  const { os, ...parameters } = changedParameters(now, before, op);
  const where = { node: place.primary, conflictsCheck: op.conflicts_check, isReserved: true };
  const made = changedNics(now, context.config.random, before.nics, op.nics, where);
  const disks = forthcomingDisks(context, before, op, place);
  const nics = placedNics(now, made.nics, place.primary);
  const instance: ForthcomingInstance = {
    ...before,
    ...parameters,
    nics,
    disks: disks.objects.map((disk) => disk.uuid),
    disk_template: disks.objects.length > 0 ? undefined : templateToCome(now, before, op),
    ...(os === undefined ? {} : { os }),
    ...(place.primary === undefined ? {} : { primary_node: place.primary }),
    ...(op.offline === undefined ? {} : { admin_state: op.offline ? "offline" : "down" }),
  };
  const state = op.offline ? "offline" : "down";
  return {
    instance,
    notes: made.notes,
    disks: disks.objects,
    result: [
      ...disks.changed,
      ...(op.disk_template === undefined ? [] : [["disk_template", op.disk_template] as const]),
      ...made.changed,
      ...parameterChanges(op),
      ...placeChanges(now, op, place),
      ...(op.os_name === undefined ? [] : [["os", op.os_name] as const]),
      ...(op.hypervisor === undefined ? [] : [["hypervisor", op.hypervisor] as const]),
      ...(op.offline === undefined ? [] : [["admin_state", state] as const]),
    ],
    changes: [...disks.changes, put("instance", instance), ...poolChanges(now, before.nics, nics)],
  };
}

/** Template of a reservation that has no disks after the modification; undefined if none has been given. */
function templateToCome(
  now: Snapshot,
  before: ForthcomingInstance,
  op: SetOp,
): DiskTemplate | undefined {
  const own = before.disks.length === 0 ? before.disk_template : diskTemplate(now, before);
  return op.disk_template ?? (own === "mixed" ? undefined : own);
}

/** Newly given nodes, by their full names. */
function placeChanges(
  now: Snapshot,
  op: SetOp,
  { primary, secondary }: Placing,
): readonly Changed[] {
  const nameOf = (uuid: NodeUuid | undefined) =>
    uuid === undefined ? null : (now.node(uuid)?.name ?? uuid);
  return [
    ...(op.pnode === undefined ? [] : [["pnode", nameOf(primary)] as const]),
    ...(op.remote_node === undefined ? [] : [["snode", nameOf(secondary)] as const]),
  ];
}

/** Resources that exceed those reserved before; a smaller reservation always fits. */
function growth(
  now: Snapshot,
  uuid: Uuid,
  { instance, disks }: Outcome,
  { primary, secondary }: Placing,
): readonly Demand[] {
  const before = reservation(now, uuid);
  const hypervisor = instance.hypervisor ?? now.cluster.enabled_hypervisors[0] ?? "";
  const purpose = `creating instance ${instance.name ?? uuid}`;
  const { maxmem, vcpus, spindle_use } = filledBeparams(now, instance);
  return [primary ?? [], secondary ?? []].flat().flatMap((node): Demand[] => {
    const old = shareOf(now, before, node);
    const volumes = volumesOf(disks.filter(({ nodes }) => nodes.includes(node)));
    const grown = [...volumes].filter(([group, size]) => size > (old.diskMib[group] ?? 0));
    const isMore = node === primary && maxmem > old.memoryMib;
    const memory = isMore ? { memory: { mib: maxmem, hypervisor, purpose } } : {};
    const spindleUse = hasVolumes(volumes) ? spindle_use : 0;
    const limited = {
      purpose,
      reserves: true,
      vcpus: node === primary && vcpus > old.vcpus ? vcpus : 0,
      spindleUse: spindleUse > old.spindleUse ? spindleUse : 0,
    };
    const own = disks.filter(({ nodes }) => nodes.includes(node));
    const wanted = own.reduce((sum, disk) => sum + (disk.spindles ?? 0), 0);
    const spindles = wanted > old.diskSpindles && isExclusive(now, node) ? wanted : 0;
    const isNothing = !isMore && grown.length === 0 && spindles === 0;
    if (isNothing && limited.vcpus === 0 && limited.spindleUse === 0) return [];
    return [{ node, volumes: new Map(grown), ...memory, limited, spindles }];
  });
}

function checkOwnPolicy(
  now: Snapshot,
  primary: NodeUuid | undefined,
  { instance, disks }: Outcome,
): void {
  const { maxmem, vcpus, spindle_use: spindleUse } = instance.beparams ?? {};
  checkPolicy(now, primary, disks[0]?.dev_type ?? "diskless", {
    maxmem,
    vcpus,
    spindleUse,
    nicCount: instance.nics.length || undefined,
    diskSizes: disks.map(({ size }) => size || undefined),
    disksUnsaid: true,
  });
}
