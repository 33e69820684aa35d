/** OP_INSTANCE_CREATE: creates an instance or a reservation, or makes a reservation real. */

import { ConfigError, mayBeCountedTwice, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import { OperationError, PrereqError } from "@ganeti-ts/job-queue";
import { lockName } from "@ganeti-ts/locking";
import type { Json, NicObject, NodeUuid } from "@ganeti-ts/protocol";
import { checkRoom, type Demand, NoRoomError, somethingNew } from "../../capacity/demand.js";
import { created, isDryRun } from "../../unit/effects.js";
import { asExclusive, asShared, nodeLock } from "../../unit/locks.js";
import { contextAt, type Unit, type UnitContext, type World } from "../../unit/unit.js";
import { checkReservedHvparams } from "../parameters/hypervisor-syntax.js";
import { checkAddressFree, checkNameFree, resolvedHostname } from "../plan/names.js";
import { checkBridges, checkHvparams, checkOsparams } from "../running/node-checks.js";
import { shownName } from "../state.js";
import { checkCompressionTool } from "../transfer/loop.js";
import { withAdoptedDisks } from "./adoption.js";
import { commitReservation, reservedForCommit } from "./commit.js";
import { creationHooks, foundOfCreation } from "./hooks.js";
import { namedSourceNode } from "./import/from-export.js";
import { type InstanceSource, sourceOf } from "./import/source.js";
import { makeInstance } from "./making.js";
import {
  checkDiskAccess,
  checkPlacementNodes,
  checkPolicy,
  chosenPlacement,
  givenPlacement,
  type Placement,
} from "./placement.js";
import { placedPlan, type Wanted, wantedInstance } from "./plan.js";
import type { CreateOp, CreateRequest } from "./request.js";
import { createRequest, hasDefaultAllocator, helperOf } from "./request.js";
import type { InstancePlan } from "./reservation.js";
import { asksForResources, demandsOf, nicsOfPlan, reserve } from "./reservation.js";

/** Attempts with an allocator's choice that another operation takes first, or that fresh figures refuse. */
const choicesMax = 10;

export const create: Unit<"OP_INSTANCE_CREATE"> = {
  opcode: "OP_INSTANCE_CREATE",
  hooks: creationHooks,

  /**
   * Placement by an allocator needs no locks: the choice is reserved in one step, or made again.
   */
  locks(op, now) {
    const asked = requestOrRefusal(now, op);
    // An invalid request needs no locks: the run reports the error after its log lines.
    if (asked === undefined) return [];
    const { name, template } = asked;
    if (op.commit) {
      const reserved = reservedForCommit(now, op);
      const nodes = [reserved.primary_node ?? [], ...secondaryNodes(now, reserved)].flat();
      return [
        ...asExclusive(lockName("instance", shownName(reserved))),
        ...asShared(...nodes.map(nodeLock)),
      ];
    }
    checkNameFree(now, name);
    const place = givenPlacement(now, op, template);
    const nodes = [place?.primary ?? [], place?.secondary ?? [], sourceNodes(now, op)].flat();
    return [
      ...(name === undefined ? [] : asExclusive(lockName("instance", name))),
      ...asShared(...nodes.map(nodeLock)),
    ];
  },

  /** Result: names of the nodes; for a reservation its UUID; in a dry run UUIDs of the nodes. */
  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const notes: string[] = [];
    let asked: CreateRequest;
    try {
      asked = createRequest(now, op, notes);
    } finally {
      for (const note of notes) world.log(note);
    }
    const { name: given } = asked;
    const host =
      op.name_check && given !== undefined ? await resolvedHostname(world, given) : undefined;
    const name = host?.name ?? given;
    if (op.commit) return commitReservation(world, asked, name, host?.ip);
    checkNameFree(now, name);
    const source = await sourceOf(context, { ...asked, name });
    const { request } = source;
    if (source.node !== undefined) await releaseOthers(context, request, source.node);
    const wanted = wantedInstance(now, request, name, host?.ip);
    if (op.ip_check && host !== undefined) await checkAddressFree(world, host.ip, host.name);
    let refusal = "";
    for (let choice = 1; ; choice++) {
      const before = world.config.snapshot;
      try {
        return await createPlaced(world, source, wanted);
      } catch (error) {
        const isShort = error instanceof PrereqError && error.code === "insufficient_resources";
        if (!isShort || op.pnode !== undefined || choice >= choicesMax) throw error;
        // Claims may be counted twice for a short time, and another operation may have taken
        // the chosen capacity.
        const isBusy = [...world.config.snapshot.claims()].some(mayBeCountedTwice);
        // The next choice knows the figures by which nodes refused this one.
        const isNew = error instanceof NoRoomError && error.message !== refusal;
        refusal = error.message;
        if (isBusy) await somethingNew(world);
        else if (world.config.snapshot === before && !isNew) throw error;
      }
    }
  },
};

function requestOrRefusal(now: Snapshot, op: CreateOp): CreateRequest | undefined {
  try {
    return createRequest(now, op);
  } catch (error) {
    if (error instanceof OperationError || error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Nodes that may have the source of the disks. */
function sourceNodes(now: Snapshot, op: CreateOp): readonly NodeUuid[] {
  if (op.mode !== "import") return [];
  const named = namedSourceNode(now, op);
  return named === undefined ? Array.from(now.nodes(), ({ uuid }) => uuid) : [named];
}

/** Releases the locks of nodes without the export once it is found. */
async function releaseOthers(
  context: UnitContext,
  { op, template }: CreateRequest,
  source: NodeUuid,
): Promise<void> {
  const place = givenPlacement(context.now, op, template);
  const kept = [place?.primary, place?.secondary, source];
  const others = sourceNodes(context.now, op).filter((uuid) => !kept.includes(uuid));
  await context.release(others.map(nodeLock));
}

async function createPlaced(world: World, source: InstanceSource, wanted: Wanted): Promise<Json> {
  const { request, fill } = source;
  const { op } = request;
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const place = await placementOf(context, request, wanted);
  if (place !== undefined) {
    checkPlacementNodes(context, place, wanted.plan.template, wanted.plan.disks);
  }
  const placed = placedPlan(wanted.plan, place);
  const { maxmem, vcpus, spindle_use: spindleUse } = wanted.beparams;
  const purpose = `creating instance ${placed.entry.name ?? "without a name"}`;
  const runs = op.forthcoming || request.start;
  const demands = demandsOf(now, placed, {
    memoryMib: runs ? maxmem : undefined,
    vcpus: runs ? vcpus : undefined,
    spindleUse,
    purpose,
    reserves: op.forthcoming,
  });
  if (op.forthcoming) return createForthcoming(world, source, wanted, placed, demands);

  const plan = request.adopts ? await withAdoptedDisks(context, placed) : placed;
  const nodes = [plan.primary ?? [], plan.secondary ?? []].flat();
  // Refusals of the configuration come before calls to nodes.
  const foreseen = nicsOfPlan(context, plan);
  await checkOnNodes(context, request, wanted, { plan, nics: foreseen.nics, demands });
  if (op.dry_run) await checkRoom(world, demands);
  await world.hooks.before(foundOfCreation(now, source, wanted, { plan, nics: foreseen.nics }));
  if (op.dry_run) {
    for (const note of foreseen.notes) world.log(note);
    isDryRun(world, op);
    return nodes;
  }
  const nics = withMacs(plan.nics, foreseen.nics);
  const reserved = await reserve(world, { ...plan, nics }, demands, "creation");
  const { instance, notes, diskNotes } = reserved;
  for (const note of [...notes, ...diskNotes]) world.log(note);
  return makeInstance(world, {
    uuid: instance.uuid,
    start: request.start,
    waitForSync: op.wait_for_sync,
    install: !op.no_install,
    debugLevel: op.debug_level,
    helper: helperOf(op),
    commit: undefined,
    secretOsparams: op.osparams_secret ?? {},
    adopted: request.adopts ? plan.disks.map(({ adopt }) => adopt ?? "") : undefined,
    ...(fill === undefined ? {} : { fill }),
  });
}

/** The instance gets the MAC addresses that were passed to the hooks. */
const withMacs = (
  nics: InstancePlan["nics"],
  foreseen: readonly NicObject[],
): InstancePlan["nics"] => nics.map((nic, at) => ({ ...nic, mac: foreseen[at]?.mac ?? nic.mac }));

/** Given or chosen nodes; undefined for a reservation that requests no placement. */
async function placementOf(
  context: UnitContext,
  request: CreateRequest,
  { plan, beparams }: Wanted,
): Promise<Placement | undefined> {
  const { op } = request;
  const given = givenPlacement(context.now, op, plan.template);
  if (given !== undefined) return given;
  // A reservation may stay without nodes.
  const isChosen = op.iallocator !== undefined || hasDefaultAllocator(context.now.cluster);
  const asks = asksForResources({ entry: { beparams: op.beparams }, disks: plan.disks });
  if (op.forthcoming && !(asks && isChosen)) return undefined;
  const { disks, nics } = plan;
  const hypervisor = plan.entry.hypervisor ?? context.now.cluster.enabled_hypervisors[0] ?? "";
  return chosenPlacement(context, request, { beparams, disks, nics, hypervisor });
}

/** An instance with its nodes and the resources it takes of them. */
interface Placed {
  readonly plan: InstancePlan;
  /** The NICs to be reserved, unless another operation takes one of their addresses first. */
  readonly nics: readonly NicObject[];
  readonly demands: readonly Demand[];
}

/** Checks that ask nodes, in Ganeti's order. */
async function checkOnNodes(
  context: UnitContext,
  { op }: CreateRequest,
  { beparams, osparams }: Wanted,
  { plan, nics, demands }: Placed,
): Promise<void> {
  const { now } = context;
  const { primary, secondary } = plan;
  if (primary === undefined) throw new Error("an instance has a primary node");
  const nodes = [primary, secondary ?? []].flat();
  const disksAlone = demands.flatMap(({ node, volumes }) =>
    volumes === undefined || volumes.size === 0 ? [] : [{ node, volumes }],
  );
  if (disksAlone.length > 0) await checkRoom(context, disksAlone);
  if (!op.ignore_ipolicy) {
    checkPolicy(now, primary, plan.template, {
      maxmem: beparams.maxmem,
      vcpus: beparams.vcpus,
      spindleUse: beparams.spindle_use,
      nicCount: plan.nics.length,
      diskSizes: plan.disks.map(({ size }) => size),
    });
  }
  const { hypervisor = "", hvparams = {}, os = "" } = plan.entry;
  for (const { access } of plan.disks) {
    checkDiskAccess(now, { hypervisor, primary_node: primary }, plan.template, access);
  }
  await checkHvparams(context, nodes, hypervisor, hvparams);
  await checkOsparams(context, nodes, os, osparams, op.force_variant);
  await checkBridges(context, nics, primary);
  checkCompressionTool(now, op.compress);
}

/** A reservation is one change of the configuration, without effects on nodes. */
async function createForthcoming(
  world: World,
  source: InstanceSource,
  wanted: Wanted,
  plan: InstancePlan,
  demands: readonly Demand[],
): Promise<Json> {
  const { op } = source.request;
  const now = world.config.snapshot;
  if (!op.ignore_ipolicy) {
    const { maxmem, vcpus, spindle_use: spindleUse } = plan.entry.beparams ?? {};
    checkPolicy(now, plan.primary, plan.template, {
      maxmem,
      vcpus,
      spindleUse,
      nicCount: plan.nics.length || undefined,
      diskSizes: plan.disks.map(({ size }) => size || undefined),
      disksUnsaid: true,
    });
  }
  checkReservedHvparams(now, plan.entry);
  const { hypervisor } = plan.entry;
  if (hypervisor !== undefined && plan.primary !== undefined) {
    for (const { access } of plan.disks) {
      checkDiskAccess(now, { hypervisor, primary_node: plan.primary }, plan.template, access);
    }
  }
  const foreseen = nicsOfPlan(contextAt(world, now), plan);
  if (op.dry_run) await checkRoom(world, demands);
  await world.hooks.before(foundOfCreation(now, source, wanted, { plan, nics: foreseen.nics }));
  if (op.dry_run) {
    for (const note of foreseen.notes) world.log(note);
    isDryRun(world, op);
    return [plan.primary ?? [], plan.secondary ?? []].flat();
  }
  const known = { ...plan, nics: withMacs(plan.nics, foreseen.nics) };
  const { instance, notes, diskNotes } = await reserve(world, known, demands, "reservation");
  for (const note of [...notes, ...diskNotes]) world.log(note);
  world.log("Instance is forthcoming, not creating disks");
  world.log(`adding instance ${shownName(instance)} to cluster config`);
  world.log("adding disks to cluster config");
  world.log("Instance is forthcoming; not creating the actual instance");
  if (plan.primary === undefined && asksForResources(plan)) {
    world.log(
      " - WARNING: No node was given and the cluster has no default allocator: the resources of this" +
        " reservation are not kept free on any node",
    );
  }
  created(world, "instance", instance);
  return instance.uuid;
}
